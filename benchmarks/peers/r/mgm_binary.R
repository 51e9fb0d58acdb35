# mgm with categorical variables, penalty chosen by EBIC with gamma = 1/4, AND.
library(mgm)

given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
d <- as.integer(given[3])
table <- matrix(readBin(given[1], "integer", n * d, size = 1, signed = FALSE), n, d)

found <- mgm(table, type = rep("c", d), level = rep(2, d), lambdaSel = "EBIC",
             pbar = FALSE, signInfo = FALSE)
joined <- found$pairwise$wadj != 0
edges <- which(joined & upper.tri(joined), arr.ind = TRUE)
write.table(edges, given[4], row.names = FALSE, col.names = FALSE)
