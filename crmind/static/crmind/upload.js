// Sends the form of "Add documents" with its progress; without JavaScript the form works as it is.
(() => {
  const form = document.querySelector("form[data-upload]");
  if (!form) return;
  // Looked up anew each time: a refusal replaces what is in the form.
  const part = (selector) => form.querySelector(selector);
  const megabytes = (bytes) => (bytes / 1024 ** 2).toFixed(1);

  const check = () => {
    const { files, dataset } = part("input[type=file]");
    const largest = Number(dataset.largest);
    const reasons = [...files]
      .filter((file) => file.size > largest)
      .map((file) => `“${file.name}” is larger than ${Math.floor(largest / 1024 ** 2)} MB.`);
    if (files.length > Number(dataset.most)) {
      reasons.push(`These are ${files.length} files; at most ${dataset.most} can be uploaded at once.`);
    }
    const lines = reasons.map((reason) => {
      const line = document.createElement("li");
      line.textContent = reason;
      return line;
    });
    part("[data-refused]").replaceChildren(...lines);
    return reasons.length === 0;
  };

  const show = ({ loaded, total }) => {
    const bar = part("[role=progressbar]");
    const share = Math.round((100 * loaded) / total);
    bar.hidden = false;
    bar.setAttribute("aria-valuenow", share);
    bar.firstElementChild.style.width = `${share}%`;
    part("[data-sent]").textContent = `${megabytes(loaded)} of ${megabytes(total)} MB sent`;
  };

  const fail = () => {
    part("[role=progressbar]").hidden = true;
    part("button[type=submit]").disabled = false;
    part("[data-sent]").textContent =
      "The files did not arrive. Check the connection and press “Add” again.";
  };

  const showRefusal = (html) => {
    const answer = new DOMParser().parseFromString(html, "text/html").querySelector("form[data-upload]");
    if (!answer) return fail();
    const chosen = part("input[type=file]").files;
    form.replaceChildren(...answer.childNodes);
    part("input[type=file]").files = chosen;
    // The choice among many rows is made by a script of the theme, once for what is there then.
    window.django?.jQuery(form).find(".admin-autocomplete").djangoAdminSelect2();
    part(".errors input, .errors textarea, .errors select")?.focus();
  };

  // Caught before it arrives: the theme would write the file's name into the next text field.
  const checkChosen = (event) => {
    if (event.target.type !== "file") return;
    event.stopPropagation();
    check();
  };
  form.addEventListener("change", checkChosen, { capture: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!check()) return;
    const request = new XMLHttpRequest();
    request.open("POST", window.location.href);
    request.upload.addEventListener("progress", show);
    request.addEventListener("error", fail);
    request.addEventListener("load", () => {
      if (request.status >= 400) fail();
      else if (request.responseURL === window.location.href) showRefusal(request.responseText);
      else window.location.assign(request.responseURL);
    });
    request.send(new FormData(form));
    part("button[type=submit]").disabled = true;
  });
})();
