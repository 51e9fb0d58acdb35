#' Print, summarise and convert results
#'
#' `print` shows the strongest edges, and `summary` what was read, assumed and found. `as.matrix`
#' returns a symmetric matrix over all variables, `as.data.frame` the table of edges. `as.igraph`
#' (from igraph) and `as_qgraph` convert networks for these packages.
#'
#' The edges of an igraph object have all columns of the edge table, such as `coupling` and
#' `evidence`. They have no `weight`, because algorithms of igraph read a weight as a length or
#' require it to be positive.
#'
#' @param x,object A result of [estimate()], [bootstrap()], [compare_groups()], [fit_model()] or, for
#'   printing, [plan()].
#' @param weight The column of the edge table to use: `"coupling"`, `"evidence"`, for method
#'   `"bayes"` `"probability"`, for a bootstrap `"frequency"`, for a comparison of two groups
#'   `"difference"`.
#' @param n Number of rows to show.
#' @param ... For `as_qgraph` arguments of [qgraph::qgraph()]; otherwise not used.
#' @return `print` returns its argument, and `summary` an object that prints its text.
#' @name results
#' @examplesIf markhood::markhood_status()$available
#' network <- estimate(warpbreaks)
#' summary(network)
#' as.matrix(network, "evidence")
#' if (requireNamespace("igraph", quietly = TRUE)) igraph::as.igraph(network)
NULL

#' @rdname results
#' @export
print.markhood <- function(x, n = 8, ...) {
  cat(x$text, "\n", sep = "")
  edges <- x$edges
  if (is.null(edges$p_adjusted)) {
    edges <- edges[order(-abs(edges$coupling), edges$source, edges$target), ]
    if (!is.null(edges$in_graph)) edges <- edges[edges$in_graph == 1, ]
  }
  shown <- intersect(c("source", "target", "first", "second", "coupling", "evidence", "probability",
    "frequency", "coupling_error", "low", "high", "difference", "p_value", "p_adjusted"),
    names(edges))
  if (nrow(edges)) print(utils::head(edges[shown], n), row.names = FALSE, digits = 3)
  if (nrow(edges) > n) cat("and", nrow(edges) - n, "more: as.data.frame() returns all\n")
  invisible(x)
}

#' @rdname results
#' @export
print.markhood_plan <- function(x, ...) {
  cat(strwrap(x$text), sep = "\n")
  invisible(x)
}

#' @rdname results
#' @export
summary.markhood <- function(object, ...) {
  kept <- object[intersect(names(object), c("tests", "stability"))]
  text <- if (is.null(object$summary)) object$text else object$summary
  edges <- object$edges
  if (!is.null(edges$frequency)) {
    own <- edges[edges$in_graph == 1, ]
    kept$edges <- own[order(-own$frequency, -abs(own$coupling)), c("source", "target", "coupling",
      "frequency", "low", "high")]
  }
  if (!is.null(edges$p_adjusted)) kept$edges <- edges[edges$p_adjusted <= 0.05, ]
  structure(list(text = text, tables = kept), class = "summary.markhood")
}

#' @rdname results
#' @export
summary.markhood_plan <- function(object, ...) {
  text <- paste(strwrap(object$text), collapse = "\n")
  structure(list(text = text, tables = object["sizes"]), class = "summary.markhood")
}

#' @rdname results
#' @export
print.summary.markhood <- function(x, ...) {
  cat(x$text, "\n", sep = "")
  for (name in names(x$tables)) {
    cat("\n", name, ":", if (!nrow(x$tables[[name]])) " none", "\n", sep = "")
    if (nrow(x$tables[[name]])) print(x$tables[[name]], row.names = FALSE, digits = 3)
  }
  invisible(x)
}

#' @rdname results
#' @export
as.data.frame.markhood <- function(x, ...) x$edges

#' @rdname results
#' @export
as.data.frame.markhood_plan <- function(x, ...) x$sizes

#' @rdname results
#' @export
as.matrix.markhood <- function(x, weight = "coupling", ...) {
  if (weight == "coupling" && !is.null(x$graph)) return(x$graph)
  if (!weight %in% names(x$edges)) {
    stop("Edges have no '", weight, "': choose one of ",
      paste(setdiff(names(x$edges), c("source", "target")), collapse = ", "), ".", call. = FALSE)
  }
  square(x, x$edges[[weight]])
}

#' @rdname results
#' @export
as.matrix.markhood_comparison <- function(x, weight = "difference", ...) NextMethod(weight = weight)

#' @rdname results
#' @exportS3Method igraph::as.igraph
as.igraph.markhood <- function(x, ...) {
  igraph::graph_from_data_frame(x$edges, directed = FALSE, vertices = data.frame(name = x$nodes))
}

#' @rdname results
#' @export
as_qgraph <- function(x, weight = "coupling", ...) {
  if (!requireNamespace("qgraph", quietly = TRUE)) {
    stop("as_qgraph needs the package qgraph: install.packages(\"qgraph\").", call. = FALSE)
  }
  qgraph::qgraph(as.matrix(x, weight), ...)
}

square <- function(x, weights) {
  found <- matrix(0, length(x$nodes), length(x$nodes), dimnames = list(x$nodes, x$nodes))
  ends <- cbind(match(x$edges$source, x$nodes), match(x$edges$target, x$nodes))
  found[ends] <- weights
  found[ends[, 2:1, drop = FALSE]] <- weights
  found
}
