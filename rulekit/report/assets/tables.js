// Sortable tables, and filters for the tables of rules.
(() => {
  function sort(table, column, ascending) {
    const keys = new Map([...table.tBodies[0].rows].map((row) => {
      const cell = row.cells[column];
      const key = cell.dataset.key;
      return [row, key === undefined ? cell.textContent.trim().toLowerCase() : key === "" ? null : Number(key)];
    }));
    const compare = (one, other) => {
      const [a, b] = [keys.get(one), keys.get(other)];
      if (a === null || b === null) return (a === null) - (b === null); // missing values come last in either direction
      return (a < b ? -1 : a > b ? 1 : 0) * (ascending ? 1 : -1);
    };
    table.tBodies[0].append(...[...keys.keys()].sort(compare));
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      if (at === column) head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  function sortable(table) {
    const sorter = table.previousElementSibling?.querySelector("[data-sorter]");
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if ("fixed" in head.dataset) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column, head.getAttribute("aria-sort") !== "ascending"));
      if (!sorter) return;
      sorter.append(new Option(`${button.textContent}, ascending`, `${column} 1`), new Option(`${button.textContent}, descending`, `${column} 0`));
    });
    sorter?.addEventListener("change", () => {
      const [column, ascending] = sorter.value.split(" ").map(Number);
      sort(table, column, Boolean(ascending));
    });
  }

  function filterable(section) {
    const tools = section.querySelector(".tools");
    const [text, label, fired] = ["text", "class", "fired"].map((name) => tools.querySelector(`[data-filter=${name}]`));
    const rows = [...section.querySelector("tbody").rows];
    const contents = new Map(rows.map((row) => [row, `${row.cells[1].textContent} ${row.cells[2].textContent}`.toLowerCase()]));
    const filter = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      let number = 0;
      for (const row of rows) {
        const stays = words.every((word) => contents.get(row).includes(word)) &&
          (label.value === "" || row.dataset.class === label.value) &&
          Number(row.dataset.fired) >= Number(fired.value || 0);
        row.hidden = !stays;
        number += stays;
      }
      tools.querySelector("output").textContent = `${number} of ${rows.length} rules`;
    };
    for (const event of ["input", "change"]) tools.addEventListener(event, filter); // menus of some browsers only change
    tools.hidden = false;
    filter();
  }

  document.querySelectorAll("table[data-sortable]").forEach(sortable);
  document.querySelectorAll("section.rules").forEach(filterable);
})();
