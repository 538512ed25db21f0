// Light or dark: follows the system until the button is pressed.
(() => {
  const button = document.getElementById("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const current = () => document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
  const name = () => { button.textContent = current() === "dark" ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = current() === "dark" ? "light" : "dark";
    name();
  });
  dark.addEventListener("change", name);
  button.hidden = false;
  name();
})();
