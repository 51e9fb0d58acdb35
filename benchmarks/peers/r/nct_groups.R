# NetworkComparisonTest on binary data, 50 permutations. The last column is the group.
suppressMessages(library(NetworkComparisonTest))
source(commandArgs(trailingOnly = TRUE)[2])

for_every_table(function(table) {
  d <- ncol(table) - 1
  found <- NCT(table[table[, d + 1] == 0, 1:d], table[table[, d + 1] == 1, 1:d], it = 50,
               binary.data = TRUE, progressbar = FALSE, verbose = FALSE)
  c(found$nwinv.pval, found$glstrinv.pval)
})
