# mgm on six Gaussian and six binary variables, penalty chosen by EBIC with gamma = 1/4, AND.
library(mgm)
source(commandArgs(trailingOnly = TRUE)[2])

for_every_table(function(table) {
  found <- mgm(table, type = rep(c("g", "c"), each = 6), level = rep(c(1, 2), each = 6),
               lambdaSel = "EBIC", pbar = FALSE, signInfo = FALSE)
  (found$pairwise$wadj != 0) * 1
})
