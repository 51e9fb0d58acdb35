# Posterior inclusion probabilities of bgms. Arguments after the usual two: the prior on edges ("default" or "learned", which is
# beta-Bernoulli), the sampler and the number of chains.
# S7::prop reads the result on R 4.2 too, where `$` does not.
suppressMessages(library(bgms))
given <- commandArgs(trailingOnly = TRUE)
source(given[2])
prior <- if (given[3] == "learned") beta_bernoulli_prior() else bernoulli_prior(0.5)

for_every_table(function(table) {
  found <- bgm(table, edge_prior = prior, update_method = given[4], chains = as.integer(given[5]), cores = 1, seed = 1,
               display_progress = "none", verbose = FALSE)
  S7::prop(found, "posterior_mean_indicator")
})
