// Programs that run while conversations are held.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";

const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL"))); // those that stop has not ended

// start runs a program in a directory until stop, with env beside the environment of this one. What it prints is shown if it ends before.
export function start(name, command, args, env = {}, cwd = undefined) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } });
  child.log = "";
  for (const out of [child.stdout, child.stderr]) out.on("data", (p) => (child.log += p));
  child.on("exit", (status, signal) => {
    if (signal !== (child.endsBy ?? "SIGTERM") && status !== 0) console.error(`${name} ended with ${status ?? signal}:\n${child.log}`);
  });
  child.on("error", (err) => console.error(`${name}: ${err.message}`));
  children.push(child);
  return child;
}

// stop ends all programs, and resolves when they have ended.
export async function stop() {
  await Promise.all(children.map((child) => end(child)));
}

// end ends a program, by the signal endsBy if it has one, and resolves when it has ended.
export function end(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    const hard = setTimeout(() => child.kill("SIGKILL"), 20_000);
    child.on("exit", () => {
      clearTimeout(hard);
      resolve();
    });
    child.kill(child.endsBy ?? "SIGTERM");
  });
}

// killOwn kills the programs with those arguments which this one has started, or which what it has started has, and resolves when whoever
// started them can have noticed. There must be one. Linux only.
export async function killOwn(isOne) {
  const own = new Map();
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const parent = /\) \S (\d+)/.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))[1];
      own.set(pid, { parent, args: fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") });
    } catch {
      // It has ended.
    }
  }
  const isOurs = (pid) => pid === String(process.pid) || (own.has(pid) && isOurs(own.get(pid).parent));
  const found = [...own].filter(([pid, { args }]) => isOurs(pid) && isOne(args)).map(([pid]) => Number(pid));
  if (found.length === 0) throw new Error("there is no process to be ended");
  for (const pid of found) process.kill(pid, "SIGKILL");
  await new Promise((resolve) => setTimeout(resolve, 2000));
}

// answers waits until the program listens on the port.
export async function answers(name, port, child) {
  for (const until = Date.now() + 60_000; Date.now() < until; ) {
    if (child.exitCode !== null) throw new Error(`${name} has ended`);
    const ok = await new Promise((resolve) => {
      const s = net.connect(port, "127.0.0.1", () => { s.destroy(); resolve(true); });
      s.on("error", () => resolve(false));
    });
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} does not listen`);
}

// listening resolves to the base URL once the proxy has said where it listens.
export function listening(child) {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`sabir has ended:\n${child.log}`)));
    const look = () => {
      const m = /listens on (\S+?)(;|$)/m.exec(child.log);
      if (m) resolve(`http://${m[1]}`);
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
  });
}
