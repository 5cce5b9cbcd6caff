"use strict";
(function () {
  var collator = new Intl.Collator("en", { numeric: true });

  // compare orders two cells: numbers before texts, whichever the direction.
  function compare(a, b, sign) {
    var hasA = a.hasAttribute("data-sort"), hasB = b.hasAttribute("data-sort");
    if (hasA && hasB) return sign * (parse(a.dataset.sort) - parse(b.dataset.sort) || 0);
    if (hasA !== hasB) return hasA ? -1 : 1;
    return sign * collator.compare(a.textContent, b.textContent);
  }

  function parse(s) {
    return s === "+Inf" ? Infinity : s === "-Inf" ? -Infinity : Number(s);
  }

  document.querySelectorAll("table").forEach(function (table) {
    var heads = Array.from(table.tHead.rows[0].cells), body = table.tBodies[0];
    if (body.rows.length < 2) return;
    heads.forEach(function (head, column) {
      var button = head.querySelector("button");
      button.disabled = false;
      button.addEventListener("click", function () {
        var order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", order);
        var rows = Array.from(body.rows); // sort is stable
        rows.sort(function (a, b) { return compare(a.cells[column], b.cells[column], order === "ascending" ? 1 : -1); });
        body.append.apply(body, rows);
      });
    });
  });
})();
