test_that("classes of columns keep their meaning", {
  skip_without_markhood()
  data <- survey()
  network <- estimate(data)
  expect_identical(network$kinds, c(mood = "ordinal", calm = "ordinal", city = "nominal",
    sea = "binary", smoker = "binary"))
  variables <- jsonlite::fromJSON(network$document)$graph$variables
  expect_true(list(c("low", "mid", "high")) %in% variables$levels)
})

test_that("labelled columns and dates keep their meaning", {
  skip_without_markhood()
  skip_if_not_installed("haven")
  data <- survey()
  data$often <- haven::labelled(sample(c(1, 2, 3), 300, TRUE), c(never = 1, sometimes = 2, often = 3))
  data$region <- haven::labelled(sample(1:3, 300, TRUE), c(north = 1L, south = 2L, west = 3L))
  data$day <- as.Date("2024-01-01") + seq_len(300)
  expect_warning(network <- estimate(data), "'day' (dates)", fixed = TRUE)
  expect_identical(network$kinds[c("often", "region")], c(often = "ordinal", region = "nominal"))
  expect_false("day" %in% network$nodes)
})

test_that("missing values are imputed with a warning, or dropped", {
  skip_without_markhood()
  data <- survey()
  for (name in names(data)) data[sample(300, 5), name] <- NA
  expect_warning(estimate(data), "missing = \"drop\"", fixed = TRUE)
  dropped <- suppressWarnings(estimate(data, missing = "drop"))
  expect_identical(dropped$edges, estimate(stats::na.omit(data))$edges)
})

test_that("tibbles, matrices, files and tables with other attributes are tables", {
  skip_without_markhood()
  data <- survey()
  edges <- estimate(data)$edges
  expect_identical(estimate(structure(data, class = c("tbl_df", "tbl", "data.frame")))$edges, edges)
  expect_identical(estimate(structure(data, pointer = globalenv()))$edges, edges)
  file <- tempfile(fileext = ".rds")
  saveRDS(data, file)
  expect_identical(estimate(file)$edges, edges)
  numbers <- as.matrix(data[c("calm", "sea")])
  expect_identical(estimate(numbers)$nodes, c("calm", "sea"))
  expect_error(estimate(list(1)), "data frame")
  expect_error(estimate(cbind(data, all = I(numbers))), "'all' is a list or a matrix")
  expect_error(estimate(stats::setNames(data, c("a", "b", "c", "a", "d"))), "called 'a'")
})

test_that("separated data have infinite couplings and a finite matrix", {
  skip_without_markhood()
  data <- data.frame(a = rep(0:1, 30), b = rep(0:1, 30), c = rep(0:2, 20))
  network <- suppressWarnings(estimate(data))
  expect_identical(network$edges$coupling, Inf)
  expect_true(all(is.finite(as.matrix(network))))
})

test_that("options are passed by name, and errors are those of Python", {
  skip_without_markhood()
  data <- survey()
  expect_identical(estimate(data, columns = c("mood", "calm"))$nodes, c("mood", "calm"))
  expect_identical(estimate(data, kinds = c(calm = "nominal"))$kinds[["calm"]], "nominal")
  expect_identical(nrow(estimate(data, forbidden_edges = list(c("mood", "calm")),
    columns = c("mood", "calm"))$edges), 0L)
  expect_warning(estimate(data, missing_values = 3), "missing")
  error <- tryCatch(estimate(data, gama = 1), error = identity)
  expect_identical(conditionMessage(error), "Method 'plrhc' has no option gama = 1: did you mean gamma?")
  expect_null(conditionCall(error))
  expect_error(estimate(data, "plrhc", 0.5), "Name all options")
  expect_error(estimate(data, weights = "heavy"), "heavy")
})
