#' Plot results
#'
#' A network is drawn with positive couplings in blue, negative ones in vermillion and dashed, and
#' couplings of categories, which have no sign, in grey. The width is the size of the coupling. A
#' bootstrap is drawn as the intervals of the edges, a comparison as the networks of the groups
#' with the same layout, and a plan as the power at each sample size.
#'
#' @param x A result of [estimate()], [bootstrap()], [compare_groups()], [fit_model()] or [plan()].
#' @param layout A matrix or data frame with the x and y coordinates of the variables.
#' @param labels Labels of the variables.
#' @param col Colours of the variables.
#' @param cex Size of the variables and their labels.
#' @param maximum The coupling that is drawn with the largest width; by default the largest one.
#' @param n Number of edges to show, those with the largest couplings.
#' @param ... Further arguments of [graphics::plot.default()], such as `main`.
#' @return The result, invisibly.
#' @export
#' @examplesIf markhood::markhood_status()$available
#' plot(estimate(warpbreaks), main = "Warp breaks")
plot.markhood <- function(x, layout = x$layout, labels = x$nodes, col = "white", cex = 1,
                          maximum = NULL, ...) {
  before <- graphics::par(mar = c(0.5, 0.5, 2, 0.5))
  on.exit(graphics::par(before))
  at <- as.matrix(layout)
  middle <- colMeans(apply(at, 2, range))
  half <- max(apply(at, 2, function(own) diff(range(own))), 0.5) * 0.56
  graphics::plot.default(at, type = "n", asp = 1, axes = FALSE, xlab = "", ylab = "",
    xlim = middle[1] + c(-half, half), ylim = middle[2] + c(-half, half), ...)
  edges <- x$edges
  if (nrow(edges)) {
    size <- sizes_of(x)
    edges <- edges[order(size), ]
    share <- sort(size) / if (is.null(maximum)) max(size) else maximum
    ends <- cbind(match(edges$source, x$nodes), match(edges$target, x$nodes))
    is_negative <- edges$signed & edges$coupling < 0
    colour <- ifelse(!edges$signed, "grey50", ifelse(is_negative, "#D55E00", "#0072B2"))
    colour <- mapply(grDevices::adjustcolor, colour, 0.55 + 0.45 * share)
    graphics::segments(at[ends[, 1], 1], at[ends[, 1], 2], at[ends[, 2], 1], at[ends[, 2], 2],
      col = colour, lty = ifelse(is_negative, 2, 1), lwd = cex * (0.7 + 5 * share))
  }
  inches <- graphics::strwidth(labels, units = "inches", cex = cex)
  per_unit <- graphics::par("pin")[1] / diff(graphics::par("usr")[1:2])
  apart <- if (nrow(at) > 1) min(stats::dist(at)) * per_unit else Inf
  radius <- min(max(inches) / 2 + 0.04, 0.27 * cex, max(0.47 * apart, 0.06))
  graphics::symbols(at, circles = rep(1, nrow(at)), inches = radius, bg = col, add = TRUE)
  for (k in seq_along(labels)) {
    graphics::text(at[k, 1], at[k, 2], labels[k], cex = cex * max(0.4, min(1, 1.8 * radius / inches[k])))
  }
  invisible(x)
}

# The sizes of the couplings: standardised where levels are ordered, the largest where infinite.
sizes_of <- function(x) {
  edges <- x$edges
  size <- abs(if (is.null(edges$standardized)) edges$coupling else edges$standardized)
  size[!is.finite(size)] <- max(size[is.finite(size)], 1e-9)
  size
}

#' @rdname plot.markhood
#' @export
plot.markhood_bootstrap <- function(x, n = 40, cex = 0.8, ...) {
  edges <- x$edges[x$edges$in_graph == 1, ]
  edges <- utils::head(edges[order(-abs(edges$coupling)), ], n)
  edges <- edges[order(edges$coupling), ]
  names <- paste(edges$source, "-", edges$target)
  rows <- seq_len(nrow(edges))
  before <- graphics::par(mai = graphics::par("mai") +
    c(0, max(graphics::strwidth(names, "inches", cex), 0), 0, 0))
  on.exit(graphics::par(before))
  graphics::plot.default(edges$coupling, rows, xlim = range(edges$low, edges$high, 0), pch = 19,
    yaxt = "n", xlab = "coupling, with its interval over the replicates", ylab = "", ...)
  graphics::abline(v = 0, col = "grey70")
  graphics::segments(edges$low, rows, edges$high, rows)
  graphics::axis(2, rows, names, las = 1, cex.axis = cex, tick = FALSE)
  invisible(x)
}

#' @rdname plot.markhood
#' @export
plot.markhood_comparison <- function(x, layout = x$layout, ...) {
  before <- graphics::par(mfrow = grDevices::n2mfrow(length(x$networks))[2:1])
  on.exit(graphics::par(before))
  largest <- max(unlist(lapply(x$networks, sizes_of)), 1e-9)
  for (name in names(x$networks)) {
    plot(x$networks[[name]], layout = layout, maximum = largest, main = name, ...)
  }
  invisible(x)
}

#' @rdname plot.markhood
#' @export
plot.markhood_plan <- function(x, ...) {
  graphics::plot.default(x$sizes$samples, x$sizes$power, log = "x", ylim = 0:1, pch = 19,
    xlab = "samples", ylab = paste("probability that", x$measure, "is at least", x$target), ...)
  error <- 1.96 * x$sizes$power_error
  graphics::segments(x$sizes$samples, pmax(x$sizes$power - error, 0),
    y1 = pmin(x$sizes$power + error, 1))
  graphics::abline(h = x$power, v = x$n_samples, lty = 2, col = "grey50")
  invisible(x)
}
