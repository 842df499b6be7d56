import { CopilotKitProvider } from "@copilotkit/react-core/v2";
import "@copilotkit/react-core/v2/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./Chat.jsx";
import "./style.css";

// The address of Sabir's route stands where that of a CopilotKit runtime would.
const runtimeUrl = `${import.meta.env.VITE_SABIR ?? "http://127.0.0.1:8080"}/copilotkit`;

// CopilotKit's styles are dark inside of the class dark.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark", dark.matches);
dark.addEventListener("change", follow);
follow();

// The inspector is for runtimes of CopilotKit's own, and reports to its makers.
createRoot(document.getElementById("root")).render(
  <StrictMode>
    <CopilotKitProvider runtimeUrl={runtimeUrl} enableInspector={false}><Chat /></CopilotKitProvider>
  </StrictMode>,
);
