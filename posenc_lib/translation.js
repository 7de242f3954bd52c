// What a page says on its own, in the reader's language: WORDS has patterns and what's new.

globalThis.posencTranslates ??= (() => {
  const said = words => {
    for (const [pattern, now] of WORDS) {
      const found = words.match(new RegExp(`^${pattern}$`));
      if (found) return now.replace(/\{(\w)\}/g, (_, hole) => said(found.groups[`_${hole}`]));
    }
    const parts = words.split(/(?<=[.:]) /);
    return parts.length > 1 ? parts.map(said).join("") : words;
  };
  const change = (holder, name) => {
    const words = holder[name]?.trim(), now = words && said(words);
    if (now !== words) holder[name] = now;
  };
  const visit = node => {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (!element?.closest?.(".posenc, .film") || element.closest("script, style")) return;
    if (element === node) ["title", "ariaLabel"].forEach(name => change(node, name)), node.childNodes.forEach(visit);
    else change(node, "data");
  };
  const observer = new MutationObserver(changes =>
    changes.forEach(({ type, target, addedNodes }) => (type === "childList" ? addedNodes.forEach(visit) : visit(target))));
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["title", "aria-label"] });
  visit(document.documentElement);
  document.querySelectorAll(".posenc, .film").forEach(visit);
  return observer;
})();
