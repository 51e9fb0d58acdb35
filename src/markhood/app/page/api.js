// Requests to the server. All addresses are relative to the page, whose path has the token.
import { byId } from "./dom.js";

const BETWEEN_POLLS = 250; // milliseconds

export class Refused extends Error {}

async function request(method, path, body) {
  let response;
  try {
    response = await fetch(`api/${path}`, { method, body });
  } catch (error) {
    byId("lost").hidden = false;
    throw new Refused("markhood cannot be reached.");
  }
  byId("lost").hidden = true;
  const answer = await response.json().catch(() => ({ error: `The server answered ${response.status}.` }));
  if (!response.ok) throw new Refused(answer.error);
  return answer;
}

export const get = (path) => request("GET", path);
export const post = (path, body) =>
  request("POST", path, body === undefined ? undefined : JSON.stringify(body));
export const remove = (path) => request("DELETE", path);

// Send a file; `onprogress` receives the share that has arrived.
export function upload(path, file, onprogress) {
  return new Promise((resolve, reject) => {
    const sent = new XMLHttpRequest();
    sent.open("POST", `api/${path}?name=${encodeURIComponent(file.name)}`);
    sent.upload.onprogress = (event) => onprogress?.(event.loaded / Math.max(1, event.total));
    sent.onload = () => {
      let answer = {};
      try {
        answer = JSON.parse(sent.responseText);
      } catch {
        answer = { error: `The server answered ${sent.status}.` };
      }
      if (sent.status === 200) resolve(answer);
      else reject(new Refused(answer.error));
    };
    sent.onerror = () =>
      reject(new Refused(`${file.name} could not be sent: it may be too large, or markhood has ended.`));
    sent.send(file);
  });
}

// Start a job and wait for it, unless `signal` ends the wait, which also cancels the job.
export async function work(task, signal, onupdate) {
  const started = await post("jobs", task);
  return follow(started.id, signal, onupdate, true);
}

export async function follow(id, signal, onupdate, cancels = false) {
  for (;;) {
    if (signal?.aborted) {
      if (cancels) await remove(`jobs/${id}`).catch(() => {});
      return null;
    }
    let job;
    try {
      job = await get(`jobs/${id}`);
    } catch (error) {
      if (byId("lost").hidden) throw error; // else the server may come back
      await pause(1000);
      continue;
    }
    onupdate?.(job);
    if (job.status !== "running") return job;
    await pause(BETWEEN_POLLS);
  }
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

let known = null;

// Questions, methods and formats, which do not change, with the tables and results of now.
export async function state() {
  known = await get("state");
  byId("version").textContent = `markhood ${known.version}`;
  return known;
}

export const catalogue = async () => known ?? (await state());
