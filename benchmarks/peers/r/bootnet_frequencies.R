# Share of 200 bootstrap replicates in which IsingFit, called by bootnet, finds each edge.
suppressMessages(library(bootnet))
source(commandArgs(trailingOnly = TRUE)[2])

for_every_table(function(table) {
  network <- estimateNetwork(table, default = "IsingFit", verbose = FALSE)
  drawn <- bootnet(network, nBoots = 200, nCores = 1, statistics = "edge", verbose = FALSE)
  found <- Reduce(`+`, lapply(drawn$boots, function(boot) boot$graph != 0))
  found / 200
})
