test_that("results print, summarise and convert", {
  skip_without_markhood()
  data <- survey()
  network <- estimate(data)
  expect_output(print(network), "Network: 5 variables")
  expect_output(print(summary(network)), "300 samples, 5 variables")
  weights <- as.matrix(network)
  expect_identical(weights, t(weights))
  expect_identical(weights["mood", "calm"], network$edges$coupling[1])
  expect_identical(as.matrix(network, "evidence")["mood", "calm"], network$edges$evidence[1])
  expect_error(as.matrix(network, "size"), "choose one of")
  expect_identical(as.data.frame(network), network$edges)
  found <- bootstrap(data, replicates = 10)
  expect_output(print(found), "10 replicates")
  expect_output(print(summary(found)), "frequency")
  expect_identical(as.matrix(found, "frequency")["calm", "mood"], 1)
  compared <- compare_groups(data, by = "smoker", permutations = 10)
  expect_output(print(summary(compared)), "p_structure")
  expect_identical(dim(as.matrix(compared)), c(4L, 4L))
  expect_output(print(fit_model(network, data)), "coupling_error")
  expect_output(print(plan(nodes = 4, coupling = 2, data_sets = 9)), "participants")
})

test_that("networks convert to igraph and qgraph", {
  skip_without_markhood()
  network <- estimate(survey())
  if (requireNamespace("igraph", quietly = TRUE)) {
    graph <- igraph::as.igraph(network)
    expect_identical(igraph::V(graph)$name, network$nodes)
    expect_identical(igraph::E(graph)$coupling, network$edges$coupling)
  }
  if (requireNamespace("qgraph", quietly = TRUE)) {
    drawn <- as_qgraph(network, DoNotPlot = TRUE)
    expect_equal(unname(qgraph::getWmat(drawn)), unname(as.matrix(network)))
  }
})

test_that("a network has what bootnet expects of fun", {
  skip_without_markhood()
  # estimateNetwork calls do.call(fun, c(list(data), arguments)) and reads these elements.
  found <- do.call(markhood::estimate, list(survey(), gamma = 0.25))
  expect_true(is.list(found) && is.matrix(found$graph) && is.numeric(found$graph))
  for (name in c("intercepts", "results", "specialData", "edgeColors")) expect_null(found[[name]])
})

test_that("plots are drawn, and results can be saved", {
  skip_without_markhood()
  data <- survey()
  network <- estimate(data)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  for (one in list(network, bootstrap(data, replicates = 5), fit_model(network, data),
    compare_groups(data, by = "smoker", permutations = 5), estimate(data, gamma = 50),
    plan(nodes = 4, coupling = 2, data_sets = 9))) {
    expect_identical(plot(one), one)
  }
  file <- tempfile(fileext = ".rds")
  saveRDS(network, file)
  expect_identical(fit_model(readRDS(file), data)$edges, fit_model(network, data)$edges)
})
