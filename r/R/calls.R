#' Learn a network from data
#'
#' Learns which pairs of variables are connected, given all other variables.
#'
#' Columns are read by their class. An ordered factor is ordinal with its order of levels, a factor
#' is nominal, a logical is binary, and numbers are ordinal or cut into bins. Columns that haven
#' labelled have their labels as levels. Dates, identifiers and free texts are left out, with a
#' warning. Missing values are imputed unless you set `missing`.
#'
#' All options of `markhood.learn` in Python are passed on by name, also those of its groups:
#' `gamma = 0.25`, `missing = "drop"`, `adjust_for = c("age", "sex")`, `weights = "weight"`,
#' `kinds = list(mood = c("low", "mid", "high"))`, `merge_rare = 5`,
#' `forbidden_edges = list(c("a", "b"))`, `seed = 1`, `n_jobs = 2`. An unknown name is an error
#' that suggests a similar one. The random seed is `seed`; [set.seed()] has no effect.
#'
#' With `fun = markhood::estimate`, the function works in `bootnet::estimateNetwork()`.
#'
#' @param data A data frame, a matrix, or the path of a data file.
#' @param method The method: `"plrhc"` (default), `"bayes"` for probabilities of edges, `"l1lr"` for
#'   the method of IsingFit, `"pairwise"`, `"chow-liu"`, ...
#' @param ... Options of Python's `markhood.learn`, by name.
#'
#' @return An object of class `markhood_network`, a list with `edges` (a data frame with a row for
#'   each edge), `nodes` and their `kinds`, `graph` (the symmetric matrix of couplings), and
#'   `methods` (a paragraph for a methods section). Where the data are separated, couplings in `edges` are infinite; `graph`
#'   then has the finite couplings of [fit_model()].
#' @seealso [plot.markhood()], [bootstrap()], [compare_groups()], [fit_model()], [plan()]
#' @export
#' @examplesIf markhood::markhood_status()$available
#' network <- estimate(warpbreaks)
#' network
#' as.matrix(network)
#' plot(network)
estimate <- function(data, method = "plrhc", ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  found <- ask("estimate", data = as_table(data, file), options = list(method = method, ...))
  finite <- found$finite
  found <- as_result(found, "network")
  found$graph <- as.matrix(found)
  if (!is.null(finite)) found$graph <- square(found, finite)
  found
}

#' Bootstrap a network
#'
#' Learns from many resampled data sets, and counts how often each edge is found.
#'
#' @inheritParams estimate
#' @param ... Options of Python's `markhood.bootstrap`, by name: `replicates = 1000`,
#'   `resample = "rows"` (or `"cases"` for the stability of centralities, `"halves"` for a bound on
#'   false edges, `"model"` for a parametric bootstrap), `strata`, `level`, and all options of
#'   [estimate()].
#'
#' @return An object of class `markhood_bootstrap`: `edges` with the frequency and interval of each
#'   pair that is an edge of the network or of a replicate, `centrality` with intervals, and with
#'   `resample = "cases"` also `stability` with the CS coefficients.
#' @export
#' @examplesIf markhood::markhood_status()$available
#' stable <- bootstrap(warpbreaks, replicates = 20)
#' as.data.frame(stable)
bootstrap <- function(data, method = "plrhc", ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  found <- ask("bootstrap", data = as_table(data, file), options = list(method = method, ...))
  as_result(found, "bootstrap")
}

#' Compare the networks of groups
#'
#' Tests by permutation whether groups have the same network, as the network comparison test does.
#'
#' @param data A data frame of all groups with the column that `by` names, or a named list of data
#'   frames, one for each group.
#' @param ... Options of Python's `markhood.compare_groups`, by name: `by = "sex"`,
#'   `permutations = 1000`, `pairs = "person"` for paired samples, `relearn = TRUE`, and all options
#'   of [estimate()].
#'
#' @return An object of class `markhood_comparison`: `tests` of structure and strength for every two
#'   groups, `edges`, `fields` and `centrality` with the difference and p-values of each, and
#'   `networks`, the network of each group.
#' @export
#' @examplesIf markhood::markhood_status()$available
#' compared <- compare_groups(mtcars[c("cyl", "am", "gear", "vs")], by = "vs", permutations = 50)
#' compared$tests
compare_groups <- function(data, ...) {
  folder <- tempfile()
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  file <- function(k) file.path(folder, paste0(k, ".rds"))
  is_one <- is.data.frame(data) || !is.list(data)
  if (!is_one && (is.null(names(data)) || !all(nzchar(names(data))))) {
    stop("Name the groups, as in list(men = a, women = b).", call. = FALSE)
  }
  source <- if (is_one) as_table(data, file(1)) else
    list(tables = Map(as_table, data, file(seq_along(data))))
  found <- as_result(ask("compare_groups", data = source, options = list(...)), "comparison")
  found$networks <- lapply(found$networks, as_result, class = "network")
  found
}

#' Fit the model of a network
#'
#' Estimates the fields and couplings of a network, with standard errors. A weak prior keeps all
#' estimates finite.
#'
#' @param graph A network from [estimate()], or a symmetric matrix with names whose entries other
#'   than 0 are edges, such as the matrix of another package.
#' @param data The data frame, with the columns of the network.
#' @param ... Options of Python's `markhood.fit_model`, by name: `method = "likelihood"`,
#'   `prior = NULL`, `missing`, `weights`, `clusters`, ...
#'
#' @return An object of class `markhood_model`: `edges` with couplings, standard errors and
#'   intervals, and `parameters` with all fields and couplings. [predict()][predict.markhood_model]
#'   predicts variables.
#' @export
#' @examplesIf markhood::markhood_status()$available
#' network <- estimate(warpbreaks)
#' model <- fit_model(network, warpbreaks)
#' head(predict(model, warpbreaks, "tension"))
fit_model <- function(graph, data, ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  found <- ask("fit_model", graph = as_document(graph), data = as_table(data, file),
    options = list(...))
  as_result(found, "model")
}

#' Predict variables from all others
#'
#' @param object A model from [fit_model()].
#' @param newdata A data frame with the columns of the model; those of `target` may be absent.
#'   Missing values are allowed.
#' @param target Names of one or more variables.
#' @param type `"class"` for the most probable level, `"prob"` for the probabilities of all levels.
#' @param ... Further options of Python's `FittedModel.predict_proba`: `seed`.
#'
#' @return For one target a vector (a factor where the levels are texts) or a matrix of
#'   probabilities; for several targets a data frame of vectors or a list of matrices.
#' @export
predict.markhood_model <- function(object, newdata, target, type = c("class", "prob"), ...) {
  type <- match.arg(type)
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  found <- ask("predict", model = as_document(object), data = as_table(newdata, file),
    options = list(target = target, ...))
  found <- lapply(found, function(own) {
    probabilities <- do.call(cbind, own$probabilities)
    if (type == "prob") return(probabilities)
    best <- max.col(probabilities, "first")
    if (!is.character(own$levels)) return(own$levels[best])
    factor(own$levels[best], own$levels, ordered = own$ordered)
  })
  if (length(found) == 1) return(found[[1]])
  if (type == "prob") found else data.frame(found, check.names = FALSE)
}

#' Plan the sample size of a study
#'
#' Finds by simulation how many samples a study needs.
#'
#' @param source The expected network: a pilot data frame, a network from [estimate()] or a model
#'   from [fit_model()]. By default a random network, described by the options `nodes`, `density`,
#'   `coupling` and `levels`.
#' @param ... Options of Python's `markhood.plan`, by name: `measure = "sensitivity"` (or
#'   `"specificity"`, `"correlation"`, `"edge"`, `"cs"`), `target`, `power = 0.8`, `data_sets`, ...
#'
#' @return An object of class `markhood_plan`: `n_samples` with its interval `low` to `high`, and
#'   `sizes`, a data frame with the power at each sample size.
#' @export
#' @examplesIf markhood::markhood_status()$available
#' plan(nodes = 6, density = 0.4, coupling = 2, data_sets = 45)
plan <- function(source = NULL, ...) {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  given <- list("plan", options = list(...))
  if (!is.null(source)) {
    given$source <- if (inherits(source, "markhood")) as_document(source) else
      as_table(source, file)
  }
  found <- do.call(ask, given)
  found$sizes <- as_frame(found$sizes)
  structure(found, class = "markhood_plan")
}

# A result as a list of data frames, vectors and texts, which can be saved.
as_result <- function(found, class) {
  for (name in intersect(names(found), c("edges", "centrality", "stability", "tests", "fields",
    "parameters", "layout"))) {
    found[[name]] <- as_frame(found[[name]])
  }
  if (!is.null(found$kinds)) found$kinds <- unlist(found$kinds)
  structure(found, class = c(paste0("markhood_", class), "markhood"))
}

as_frame <- function(columns) {
  columns <- lapply(columns, function(own) if (is.list(own)) unlist(own) else own)
  as.data.frame(lapply(columns, function(own) if (is.null(own)) logical() else own),
    optional = TRUE, stringsAsFactors = FALSE)
}

# The graph or model that Python restores.
as_document <- function(x) {
  if (inherits(x, "markhood") && !is.null(x$document)) return(list(document = x$document))
  if (!is.matrix(x) || nrow(x) != ncol(x) || is.null(colnames(x))) {
    stop("graph must be a network from estimate(), or a square matrix with column names.",
      call. = FALSE)
  }
  at <- which(upper.tri(x) & x != 0, arr.ind = TRUE)
  names <- colnames(x)
  document <- list(
    nodes = lapply(names, function(name) list(id = name)),
    edges = lapply(seq_len(nrow(at)), function(k)
      list(source = names[at[k, 1]], target = names[at[k, 2]]))
  )
  list(document = as.character(jsonlite::toJSON(document, auto_unbox = TRUE)))
}
