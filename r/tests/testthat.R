library(testthat)
library(markhood)
test_check("markhood")
