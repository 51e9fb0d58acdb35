# IsingFit with its defaults: eLasso, EBIC with gamma = 1/4, AND.
library(IsingFit)

given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
d <- as.integer(given[3])
table <- matrix(readBin(given[1], "integer", n * d, size = 1, signed = FALSE), n, d)

found <- IsingFit(table, plot = FALSE, progressbar = FALSE)
edges <- which(found$weiadj != 0 & upper.tri(found$weiadj), arr.ind = TRUE)
write.table(edges, given[4], row.names = FALSE, col.names = FALSE)
