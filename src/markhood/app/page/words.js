// Plain words for the terms of the codebook and of progress; a term that is missing here is shown as it is.

export const ROLES = {
  node: "In the network",
  covariate: "Adjust for",
  weight: "Weight of each row",
  cluster: "Group of related rows",
  person: "Person",
  time: "Time",
  skip: "Leave out",
};

export const KINDS = {
  nominal: "Categories",
  ordinal: "Ordered answers",
  measurement: "Measurement",
  count: "Count",
  binary: "Two values",
  constant: "One value only",
  empty: "Empty",
  identifier: "Identifier",
  date: "Date",
  "free text": "Text",
};

export const MISSING = {
  auto: "Decide for me",
  impute: "Fill in from the other answers",
  drop: "Leave out rows with gaps",
  level: "Treat as an answer of its own",
  error: "Stop with a message",
};

export const GROUPS = {
  study: "This question",
  method: "Method",
  columns: "Columns and missing values",
  table: "Table format",
  genome: "Genomes and alignments",
  knowledge: "Known connections",
  run: "Computation",
};

export const PHASES = {
  screen: "Comparing all pairs of variables",
  blankets: "Finding the neighbours of each variable",
  climb: "Improving the network",
  evidence: "Weighing the evidence",
  imputation: "Filling in missing values",
  imputations: "Filling in missing values",
  replicates: "Repeating the analysis",
  model: "Measuring the strengths",
  report: "Writing the report",
  groups: "Learning the network of each group",
  permutations: "Shuffling the groups",
  sizes: "Trying numbers of people",
  "data sets": "Simulating studies",
};

// Choices of settings that everybody is asked for.
export const CHOICES = {
  measure: {
    sensitivity: "Find most of the connections",
    specificity: "Find few false connections",
    correlation: "Measure the strengths well",
    edge: "Find one connection",
    cs: "Stable centralities (CS)",
    group: "Find a difference between two groups",
  },
};

export const RUN = {
  learn: "Find the connections",
  bootstrap: "Repeat the analysis",
  "compare-groups": "Compare the groups",
  plan: "Simulate studies",
};

export const COLUMNS = {
  source: "variable",
  target: "variable ",
  coupling: "strength",
  standard_error: "standard error",
  low: "from",
  high: "to",
  in_graph: "in the network",
  frequency: "found in",
  p_value: "p",
  p_adjusted: "adjusted p",
  samples: "people",
  data_sets: "simulated studies",
};
