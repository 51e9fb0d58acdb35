# Hill climbing by the marginal pseudo-likelihood, as in BDgraph: no prior on the number of edges.
library(BDgraph)

given <- commandArgs(trailingOnly = TRUE)
n <- as.integer(given[2])
d <- as.integer(given[3])
table <- matrix(readBin(given[1], "integer", n * d, size = 1, signed = FALSE), n, d)

found <- bdgraph.mpl(table, method = "dgm-binary", algorithm = "hc", cores = 1, verbose = FALSE)
joined <- found$selected_graph != 0
edges <- which((joined | t(joined)) & upper.tri(joined), arr.ind = TRUE)
write.table(edges, given[4], row.names = FALSE, col.names = FALSE)
