# The connection to Python. A call is a request in JSON to markhood.commandline.bridge, which runs in
# this process (reticulate) or, if Python cannot be loaded here, as a command. Both ways take and
# return the same text, so that results do not depend on the way.

connection <- new.env(parent = emptyenv())

#' Find the Python package markhood
#'
#' Reports how the R package reaches Python. The functions of this package call the Python package
#' `markhood`, in this order: in the R process, through reticulate; or with the Python of the
#' command `markhood` on the search path, as a separate process.
#'
#' reticulate uses the Python that you choose with `RETICULATE_PYTHON` or
#' [reticulate::use_virtualenv()], or else the Python of the command `markhood`. reticulate 1.41 and
#' later install the package where no Python was chosen. `options(markhood.backend = "command")`
#' always uses a separate process.
#'
#' @return A list with `available` (TRUE or FALSE), `backend` ("reticulate" or "command"), `python`,
#'   `version`; or with `available` and the `reason`.
#' @export
#' @examples
#' markhood_status()$available
markhood_status <- function() {
  tryCatch(
    c(list(available = TRUE, backend = connect()$backend), ask("about")),
    error = function(e) list(available = FALSE, reason = conditionMessage(e))
  )
}

connect <- function() {
  wanted <- getOption("markhood.backend", "reticulate")
  if (!identical(connection$wanted, wanted)) {
    found <- if (wanted == "command") NULL else in_process()
    if (is.null(found)) found <- as_command()
    connection$run <- found$run
    connection$backend <- found$backend
    connection$wanted <- wanted
  }
  connection
}

in_process <- function() {
  tryCatch(
    {
      if (!reticulate::py_available() && !nzchar(Sys.getenv("RETICULATE_PYTHON"))) choose_python()
      list(run = reticulate::import("markhood.commandline.bridge")$run, backend = "reticulate")
    },
    error = function(e) {
      connection$reason <- trimws(conditionMessage(e))
      NULL
    }
  )
}

# Choose the Python of the command markhood; without it, reticulate 1.41 and later can install one.
choose_python <- function() {
  python <- python_of_command()
  if (!is.null(python)) {
    reticulate::use_python(python, required = FALSE)
  } else if ("py_require" %in% getNamespaceExports("reticulate")) {
    get("py_require", asNamespace("reticulate"))("markhood[r]", python_version = ">=3.11")
  }
}

as_command <- function() {
  python <- python_of_command()
  if (is.null(python)) python <- Sys.getenv("RETICULATE_PYTHON")
  if (!file.exists(python)) {
    stop(
      "The Python package markhood was not found. Install it with pip install 'markhood[r]', ",
      "and choose that Python with reticulate::use_python() before the first call, or put the ",
      "command markhood on the search path.",
      if (!is.null(connection$reason)) paste0(" (", connection$reason, ")"),
      call. = FALSE
    )
  }
  run <- function(request) {
    files <- tempfile(c("request", "answer"), fileext = ".json")
    on.exit(unlink(files))
    writeLines(enc2utf8(request), files[1], useBytes = TRUE)
    system2(python, shQuote(c("-m", "markhood.commandline.bridge", files)))
    if (!file.exists(files[2])) {
      stop("Python (", python, ") ended without an answer; its message is above.", call. = FALSE)
    }
    readLines(files[2], encoding = "UTF-8", warn = FALSE)
  }
  list(run = run, backend = "command")
}

# The Python that runs the command markhood: named in its first line, or next to it.
python_of_command <- function() {
  command <- normalizePath(Sys.which("markhood"), mustWork = FALSE)
  if (!nzchar(command)) return(NULL)
  first <- readLines(command, 1, warn = FALSE, skipNul = TRUE)
  near <- file.path(dirname(command), c("python", "python3", "python.exe", "../python.exe"))
  named <- sub("^#! *", "", first[startsWith(first, "#!") & grepl("python", first)])
  found <- c(named, near)
  found <- found[file.exists(found)]
  if (length(found)) found[1]
}

# Run a call of the bridge; errors and warnings of Python become those of R.
ask <- function(call, ..., options = NULL) {
  run <- connect()$run
  request <- list(call = call, ...)
  if (!is.null(options)) request$options <- as_options(options)
  answer <- jsonlite::fromJSON(
    run(jsonlite::toJSON(request, auto_unbox = TRUE, digits = NA, null = "null", na = "null")),
    simplifyDataFrame = FALSE, simplifyMatrix = FALSE
  )
  for (text in answer$warnings) warning(text, call. = FALSE)
  if (!is.null(answer$error)) stop(answer$error, call. = FALSE)
  answer$value
}

# Options as JSON objects: names of vectors are kept, and there is an object where there are none.
as_options <- function(options) {
  if (length(options) && (is.null(names(options)) || !all(nzchar(names(options))))) {
    stop("Name all options, such as gamma = 0.25.", call. = FALSE)
  }
  options <- lapply(options, function(own) {
    if (is.atomic(own) && !is.null(names(own))) as.list(own) else own
  })
  if (length(options)) options else structure(list(), names = character())
}

# A table as the path of a file that Python reads; R files keep the classes of columns.
as_table <- function(data, file) {
  if (is.character(data) && length(data) == 1) return(normalizePath(data, mustWork = FALSE))
  if (!is.data.frame(data) && !is.matrix(data)) {
    stop("data must be a data frame, a matrix or the path of a file, not ", class(data)[1], ".",
      call. = FALSE)
  }
  data <- as.data.frame(data)
  is_vector <- vapply(data, function(column) is.atomic(column) && is.null(dim(column)), TRUE)
  for (name in names(data)[!is_vector]) {
    stop("Column '", name, "' is a list or a matrix: use one vector per column.", call. = FALSE)
  }
  for (name in names(data)[duplicated(names(data))]) {
    stop("Two columns are called '", name, "': rename one of them.", call. = FALSE)
  }
  # Other attributes, such as the pointer of a data.table, are not part of the table.
  attributes(data) <- list(names = names(data), row.names = .set_row_names(nrow(data)),
    class = "data.frame")
  is_text <- vapply(data, function(column) is.character(column) && !is.object(column), TRUE)
  data[is_text] <- lapply(data[is_text], as_codes)
  saveRDS(data, file, compress = FALSE)
  file
}

# Texts as numbers of distinct texts, which Python reads much faster.
as_codes <- function(texts) {
  levels <- unique(texts[!is.na(texts)])
  structure(match(texts, levels), levels = levels, class = "markhood_texts")
}
