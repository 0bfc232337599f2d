// Light, dark, or as the system has it; remembered in this browser.

import { browser } from "./storage.js";

const KEY = "askwell.theme";
const THEMES = ["system", "light", "dark"];

export function useTheme() {
  const theme = remembered();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function nextTheme() {
  const next = THEMES[(THEMES.indexOf(remembered()) + 1) % THEMES.length];
  browser.setItem(KEY, next);
  useTheme();
  document.dispatchEvent(new Event("askwell-theme"));
}

function remembered() {
  const theme = browser.getItem(KEY) ?? "system";
  return THEMES.includes(theme) ? theme : "system";
}
