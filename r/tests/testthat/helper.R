# Python is loaded here and called directly, to compare with what the package returns.
skip_without_markhood <- function() {
  skip_if_not(markhood_status()$available, "The Python package markhood is not available")
}

# A survey with all classes of columns, and dependences that are found.
survey <- function(n = 300) {
  set.seed(1)
  scale <- c("low", "mid", "high")
  mood <- sample(3, n, TRUE)
  calm <- ifelse(runif(n) < 0.7, mood, sample(3, n, TRUE))
  city <- sample(c("rome", "oslo", "bern"), n, TRUE)
  data.frame(
    mood = factor(scale[mood], scale, ordered = TRUE),
    calm = calm,
    city = factor(city),
    sea = ifelse(runif(n) < 0.8, city == "oslo", runif(n) < 0.5),
    smoker = sample(c("no", "yes"), n, TRUE),
    stringsAsFactors = FALSE
  )
}

python <- function() reticulate::import("markhood")

# The same table for Python, on another way than the package takes. reticulate's own conversion is
# not used, because it frees memory of R on threads of Python, which R does not allow.
csv <- function(data) {
  file <- tempfile(fileext = ".csv")
  utils::write.csv(data, file, row.names = FALSE)
  file
}

# An array of Python as rows of R; reticulate before 1.39 does not convert those of NumPy 2.
rows <- function(array) {
  if (is.numeric(array)) return(if (length(dim(array)) == 1) as.vector(array) else array)
  found <- array$tolist()
  if (is.list(found)) do.call(rbind, found) else found
}
