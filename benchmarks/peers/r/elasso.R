# eLasso, the method of the R package IsingFit with its defaults: for every node glmnet's path on
# standardised columns, EBIC with gamma = 1/4 without a refit, and an edge where both ends agree.
library(glmnet)

given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
d <- as.integer(given[3])
table <- matrix(readBin(given[1], "integer", n * d, size = 1, signed = FALSE), n, d)
gamma <- 0.25

chosen <- matrix(FALSE, d, d)
for (node in seq_len(d)) {
  if (length(unique(table[, node])) < 2) next
  path <- glmnet(table[, -node], table[, node], family = "binomial")
  # A 0/1 variable's saturated log-likelihood is 0: its deviance is -2 log-likelihood.
  ebic <- deviance(path) + path$df * (log(n) + 2 * gamma * log(d - 1))
  chosen[node, -node] <- as.vector(path$beta[, which.min(ebic)] != 0)
}
edges <- which(chosen & t(chosen) & upper.tri(chosen), arr.ind = TRUE)
write.table(edges, given[4], row.names = FALSE, col.names = FALSE)
