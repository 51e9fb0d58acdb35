# What the scripts of `analyses.py` share: read the tables of a folder, write a result for each, and add up the CPU time.
folder <- commandArgs(trailingOnly = TRUE)[1]

for_every_table <- function(analyse) {
  paths <- sort(list.files(folder, pattern = "^table.*[.]csv$", full.names = TRUE))
  seconds <- 0
  for (path in paths) {
    table <- as.matrix(read.csv(path))
    set.seed(1)
    start <- proc.time()
    result <- suppressWarnings(suppressMessages(analyse(table)))
    seconds <- seconds + sum((proc.time() - start)[c(1, 2)])
    write.table(result, sub("table", "result", path), sep = ",", row.names = FALSE, col.names = FALSE)
  }
  writeLines(as.character(seconds / length(paths)), file.path(folder, "seconds.txt"))
}
