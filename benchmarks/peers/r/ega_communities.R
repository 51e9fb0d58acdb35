# Communities of items by exploratory graph analysis, with EGAnet's defaults.
suppressMessages(library(EGAnet))
source(commandArgs(trailingOnly = TRUE)[2])

for_every_table(function(table) {
  as.vector(unclass(EGA(table, plot.EGA = FALSE, verbose = FALSE)$wc))
})
