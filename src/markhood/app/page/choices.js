// Choices of the user for each table, kept by this tab until it is closed.

const EMPTY = { codebook: {}, settings: {}, method: "plrhc", question: "learn" };

export function choicesFor(table) {
  const stored = sessionStorage.getItem(`choices-${table}`);
  return { ...structuredClone(EMPTY), ...(stored ? JSON.parse(stored) : {}) };
}

export function keep(table, choices) {
  sessionStorage.setItem(`choices-${table}`, JSON.stringify(choices));
}

// Rows of the codebook that the user changed, as the server and the command line take them.
export const changedRows = (choices) =>
  Object.entries(choices.codebook).map(([column, changes]) => ({ column, ...changes }));

export function fromRows(rows) {
  return Object.fromEntries(rows.map(({ column, ...changes }) => [column, changes]));
}

export function taskFor(kind, table, choices) {
  const { question, method, settings } = choices;
  return { task: kind, question, method, settings, codebook: changedRows(choices), table };
}

// Settings of reading apply to every question; others may be unknown to it.
export const known = (settings, listed) =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => listed.some((one) => one.name === name)));
