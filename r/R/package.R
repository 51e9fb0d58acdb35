#' markhood: learn the graph of a pairwise Markov network
#'
#' [estimate()] learns a network from a data frame; [bootstrap()], [compare_groups()], [fit_model()]
#' and [plan()] answer the questions that follow. The Python package `markhood` does the
#' computations; [markhood_status()] reports how it is reached.
#'
#' @keywords internal
#' @importFrom stats predict
"_PACKAGE"
