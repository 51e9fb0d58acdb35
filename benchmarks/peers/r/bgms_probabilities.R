# Posterior inclusion probabilities of bgms: beta-Bernoulli prior on edges, two chains.
# S7::prop reads the result on R 4.2 too, where `$` does not.
suppressMessages(library(bgms))
source(commandArgs(trailingOnly = TRUE)[2])

for_every_table(function(table) {
  found <- bgm(table, edge_prior = beta_bernoulli_prior(), update_method = "adaptive-metropolis",
               chains = 2, cores = 1, seed = 1, display_progress = "none", verbose = FALSE)
  S7::prop(found, "posterior_mean_indicator")
})
