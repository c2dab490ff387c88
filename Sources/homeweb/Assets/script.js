// What a page does beyond links and forms: it changes by itself, tiles are touched and dragged, names are checked while
// they are typed, codes are scanned. Without it everything can be read and switched, too.
"use strict";

(() => {
  document.documentElement.classList.add("js");
  const main = () => document.getElementById("main");
  const notice = document.getElementById("notice");

  // ---- What changes by itself

  // What is held or typed into is left alone until it is let go.
  const held = new Set();
  const waiting = new Map();

  const isBusy = (element) =>
    held.has(element) || (element === document.activeElement && element.matches("input, select, textarea"));

  // Makes an element like a new one without taking it away from under a finger, a cursor or a reader.
  function morph(old, fresh) {
    const isAnother = old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName
      || (old.id && fresh.id && old.id !== fresh.id) || old.dataset?.self !== fresh.dataset?.self;
    if (isAnother) {
      old.replaceWith(fresh.cloneNode(true));
      return;
    }
    if (old.nodeType === Node.TEXT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) return;
    // What the script itself has put there stays.
    if ("keep" in old.dataset && "keep" in fresh.dataset) return;
    if (held.has(old)) {
      waiting.set(old, fresh.cloneNode(true));
      return;
    }
    const isTyped = isBusy(old);
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !(old.nodeName === "DETAILS" && name === "open")) old.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes])
      if (old.getAttribute(name) !== value && !(isTyped && name === "value")) old.setAttribute(name, value);
    if (!isTyped && "value" in old && "value" in fresh && old.value !== fresh.value && old.nodeName !== "BUTTON") old.value = fresh.value;
    const wants = [...fresh.childNodes];
    const wanted = new Set(wants.map((node) => node.id).filter(Boolean));
    const known = new Map([...old.children].filter((node) => node.id).map((node) => [node.id, node]));
    let next = old.firstChild;
    for (const node of wants) {
      const same = counterpart(node, next, known, wanted);
      if (!same) {
        old.insertBefore(node.cloneNode(true), next);
        continue;
      }
      // What stands before it and is wanted no more goes, so that nothing has to move.
      while (next !== same && !(next.id && wanted.has(next.id))) {
        const rest = next;
        next = next.nextSibling;
        rest.remove();
      }
      if (same === next) next = next.nextSibling;
      else old.insertBefore(same, next);
      morph(same, node);
    }
    while (next) {
      const rest = next;
      next = next.nextSibling;
      rest.remove();
    }
  }

  // The child that a new one is to become: that of its id, else the next of its kind that has none.
  function counterpart(node, next, known, wanted) {
    if (node.id) return known.get(node.id);
    if (node.nodeType !== Node.ELEMENT_NODE) return next?.nodeType === node.nodeType ? next : null;
    for (let other = next; other && !wanted.has(other.id); other = other.nextSibling)
      if (other.nodeName === node.nodeName && !other.id) return other;
    return null;
  }

  const parsed = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };

  function redraw(element, html) {
    const fresh = element.id === "main" ? element.cloneNode(false) : parsed(html).firstElementChild;
    if (element.id === "main") fresh.append(parsed(html));
    if (fresh) morph(element, fresh);
    shown();
  }

  function release(element) {
    held.delete(element);
    const fresh = waiting.get(element);
    waiting.delete(element);
    if (fresh && element.isConnected) morph(element, fresh);
  }

  let source = null;

  function listen() {
    const path = document.body.dataset.live;
    if (!path || source) return;
    source = new EventSource(path);
    source.addEventListener("main", (event) => {
      const { title, html } = JSON.parse(event.data);
      document.title = title;
      redraw(main(), html);
    });
    source.addEventListener("part", (event) => {
      const { id, html } = JSON.parse(event.data);
      const element = document.getElementById(id);
      if (element) redraw(element, html);
    });
    source.addEventListener("notice", (event) => { notice.textContent = JSON.parse(event.data).text; });
    source.addEventListener("gone", (event) => location.assign(JSON.parse(event.data).path));
    source.onopen = () => { if (notice.dataset.lost) { delete notice.dataset.lost; notice.textContent = ""; } };
    source.onerror = () => {
      notice.dataset.lost = "1";
      notice.textContent = "This page does not answer. It goes on by itself.";
      if (source.readyState !== EventSource.CLOSED) return;
      stop();
      setTimeout(listen, 3000);
    };
  }

  function stop() {
    if (source) source.close();
    source = null;
  }

  // Nothing is watched that is not on the page.
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : listen()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", listen);

  // ---- What is touched

  // Says beside a thing why it could not be done.
  function refuse(place, message) {
    place.querySelector(".refusal")?.remove();
    const refusal = document.createElement("p");
    refusal.className = "refusal";
    refusal.setAttribute("role", "alert");
    refusal.textContent = message;
    place.append(refusal);
    setTimeout(() => refusal.remove(), 8000);
  }

  async function send(action, fields) {
    const response = await fetch(action, {
      method: "POST", credentials: "same-origin",
      headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields),
    });
    if (response.status === 401) return location.assign("/enter");
    if (!response.ok) {
      const answer = await response.json().catch(() => ({}));
      throw new Error(answer.message || "That did not work.");
    }
  }

  // Shows what a touch is to bring at once; the device's answer makes it true, a refusal takes it back.
  async function change(form, fields, place, expected) {
    const undo = expected();
    // What was true before the touch is not drawn while it is under way.
    held.add(place);
    place.classList.add("pending");
    try {
      await send(form.action || form.getAttribute("action"), fields);
      place.querySelector(".refusal")?.remove();
    } catch (error) {
      undo();
      refuse(place, error instanceof TypeError ? "This page does not answer." : error.message);
    }
    place.classList.remove("pending");
    release(place);
  }

  function flip(button, name, value) {
    const was = button.getAttribute(name);
    button.setAttribute(name, value);
    return () => button.setAttribute(name, was);
  }

  document.addEventListener("submit", (event) => {
    const form = event.target, button = event.submitter;
    if (!form.action.match(/\/services\/[^/]+\/values$|\/scenes\/[^/]+\/run$|\/rooms\/[^/]+\/off$/)) return;
    event.preventDefault();
    const place = form.closest(".tile, .control") || form;
    const fields = [...new FormData(form, button)];
    change(form, fields, place, () => {
      if (!button) return () => {};
      if (button.classList.contains("touch") && place.dataset.service) {
        const isOn = place.classList.toggle("on");
        const undo = flip(button, "aria-pressed", String(isOn));
        return () => { undo(); place.classList.toggle("on"); };
      }
      if (button.getAttribute("role") === "switch")
        return flip(button, "aria-checked", String(button.getAttribute("aria-checked") !== "true"));
      if (button.matches(".segment, .swatch")) {
        const others = [...form.querySelectorAll(".segment, .swatch")];
        const was = others.map((other) => other.getAttribute("aria-pressed"));
        others.forEach((other) => other.setAttribute("aria-pressed", String(other === button)));
        return () => others.forEach((other, index) => other.setAttribute("aria-pressed", was[index]));
      }
      return () => {};
    });
  });

  // ---- What is dragged

  // Not more than a few writes a second, and the last one always.
  const pace = 150;
  const writers = new WeakMap();

  function write(element, action, name, value, place, undo) {
    const writer = writers.get(element) || { busy: false, next: null };
    writers.set(element, writer);
    writer.next = value;
    if (writer.busy) return;
    writer.busy = true;
    (async () => {
      while (writer.next !== null) {
        const now = writer.next;
        writer.next = null;
        const pause = new Promise((done) => setTimeout(done, pace));
        try {
          await send(action, [[name, now]]);
        } catch (error) {
          writer.next = null;
          undo();
          refuse(place, error.message);
        }
        await pause;
      }
      writer.busy = false;
      release(place);
    })();
  }

  function words(range) {
    const number = Number(range.value);
    if (range.dataset.factor === "kelvin") return `${Math.round(1e6 / number / 10) * 10} K`;
    return range.dataset.unit ? `${range.value} ${range.dataset.unit}` : range.value;
  }

  document.addEventListener("input", (event) => {
    const range = event.target;
    if (range.matches("input[type=range]")) {
      const tile = range.closest(".tile"), form = range.closest("form");
      const place = tile || form;
      if (!place) return;
      const was = range.defaultValue;
      held.add(place);
      const action = tile ? `/services/${tile.dataset.service}/values` : form.getAttribute("action");
      if (tile) {
        tile.querySelector(".fill").value = range.value;
      } else {
        form.querySelector("output").textContent = words(range);
      }
      write(range, action, range.name, range.value, place, () => { range.value = was; });
    }
    if (range.matches("input[type=color]")) {
      const form = range.closest("form");
      held.add(form);
      write(range, form.getAttribute("action"), "color", range.value, form, () => {});
    }
  });

  document.addEventListener("change", (event) => {
    const input = event.target, form = input.closest("form.stepper");
    if (!form || !input.matches("input[type=number]") || !input.checkValidity()) return;
    const name = input.name.replace("typed:", "");
    change(form, [[name, input.value]], form, () => () => { input.value = input.defaultValue; });
  });

  // A lamp is itself the slider: a drag across its tile, a touch that does not move switches it.
  let drag = null;

  document.addEventListener("pointerdown", (event) => {
    const tile = event.target.closest(".tile");
    const level = tile?.querySelector("input.level");
    if (!level || !event.isPrimary || event.button) return;
    drag = { tile, level, x: event.clientX, y: event.clientY, from: Number(level.value), moved: false };
  });

  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const across = event.clientX - drag.x;
    if (!drag.moved) {
      if (Math.abs(event.clientY - drag.y) > 12) return void (drag = null);
      if (Math.abs(across) < 10) return;
      drag.moved = true;
      drag.tile.classList.add("held", "on");
      drag.tile.setPointerCapture(event.pointerId);
    }
    const { level, tile, from } = drag;
    const low = Number(level.min), high = Number(level.max);
    const value = Math.min(high, Math.max(low, from + (across / tile.clientWidth) * (high - low)));
    level.value = value;
    tile.querySelector(".state").textContent = `${Math.round(Number(level.value))} %`;
    level.dispatchEvent(new Event("input", { bubbles: true }));
  });

  function drop(event) {
    if (!drag) return;
    const { tile, moved } = drag;
    drag = null;
    tile.classList.remove("held");
    if (!moved) return;
    // The click that follows a drag is none; a finger's drag has no click, and the next touch counts.
    const swallow = (click) => { click.preventDefault(); click.stopPropagation(); };
    tile.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => tile.removeEventListener("click", swallow, { capture: true }), 50);
  }
  document.addEventListener("pointerup", drop);
  document.addEventListener("pointercancel", drop);
  document.addEventListener("dragstart", (event) => { if (event.target.closest?.(".tile")) event.preventDefault(); });

  // A long press opens what it is on.
  let press = null;
  document.addEventListener("pointerdown", (event) => {
    const tile = event.target.closest("button.touch")?.closest(".tile");
    const link = tile?.querySelector("a.words");
    clearTimeout(press);
    if (link) press = setTimeout(() => { if (!drag?.moved) location.assign(link.href); }, 600);
  });
  for (const name of ["pointerup", "pointercancel", "scroll"]) document.addEventListener(name, () => clearTimeout(press), true);

  // ---- What is typed

  let checking = null;

  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-names]");
    if (!form || event.target.name !== "name") return;
    clearTimeout(checking);
    checking = setTimeout(() => check(form, event.target), 200);
  });

  async function check(form, input) {
    const { names, self, in: home } = form.dataset;
    const query = new URLSearchParams({ kind: names, name: input.value });
    if (self) query.set("self", self);
    if (home) query.set("in", home);
    const answer = await fetch(`/check-name?${query}`, { headers: { Accept: "application/json" } })
      .then((response) => (response.ok ? response.json() : null)).catch(() => null);
    const hint = form.querySelector(".hint");
    if (!answer || !hint) return;
    hint.textContent = answer.refusal;
    input.setAttribute("aria-invalid", String(answer.refusal !== ""));
    for (const suggestion of answer.suggestions) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button";
      button.textContent = suggestion;
      button.onclick = () => { input.value = suggestion; input.focus(); check(form, input); };
      hint.append(" ", button);
    }
  }

  // ---- Codes

  // What the QR code of a picture says. Most browsers cannot read one, so the page does.
  async function read(image) {
    const scale = Math.min(1, 1000 / Math.max(image.videoWidth || image.width, image.videoHeight || image.height));
    const width = Math.round((image.videoWidth || image.width) * scale), height = Math.round((image.videoHeight || image.height) * scale);
    if (!width || !height) return null;
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.fillStyle = "#fff";
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    const colors = context.getImageData(0, 0, width, height).data;
    const pixels = new Uint8Array(width * height);
    for (let at = 0; at < pixels.length; at++)
      pixels[at] = (colors[4 * at] * 77 + colors[4 * at + 1] * 151 + colors[4 * at + 2] * 28) >> 8;
    const response = await fetch(`/read-code?width=${width}&height=${height}`, {
      method: "POST", headers: { Accept: "application/json", "Content-Type": "application/octet-stream" }, body: pixels,
    });
    return response.ok ? (await response.json()).text : null;
  }

  function shown() {
    // The server knows no time zone.
    for (const time of document.querySelectorAll("time[datetime]")) {
      const words = new Date(time.dateTime).toLocaleString();
      if (time.textContent !== words) time.textContent = words;
    }
    for (const level of document.querySelectorAll(".tile input.level")) level.closest(".tile").classList.add("draggable");
    const camera = document.getElementById("scan-camera"), photo = document.getElementById("scan-photo");
    if (!camera || camera.dataset.ready) return;
    camera.dataset.ready = "1";
    const hint = document.getElementById("scan-hint");
    photo.hidden = false;
    camera.hidden = !navigator.mediaDevices;
    const found = async (image) => {
      const code = await read(image);
      if (code?.startsWith("X-HM://")) {
        document.getElementById("code").value = code;
        document.getElementById("code").form.requestSubmit();
        return code;
      }
    };
    photo.querySelector("input").onchange = async (event) => {
      const image = await createImageBitmap(event.target.files[0]).catch(() => null);
      if (!image || !(await found(image))) hint.textContent = "There is no QR code of an accessory in this picture.";
    };
    camera.onclick = async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).catch(() => null);
      if (!stream) return void (hint.textContent = "The camera may not be used.");
      const video = document.createElement("video");
      video.className = "viewfinder";
      video.setAttribute("aria-label", "What the camera sees");
      video.srcObject = stream;
      camera.after(video);
      await video.play();
      const end = Date.now() + 60000;
      while (video.isConnected && Date.now() < end && !(await found(video).catch(() => null))) await new Promise((done) => setTimeout(done, 400));
      stream.getTracks().forEach((track) => track.stop());
      video.remove();
    };
  }

  // The link that "homehub web" shows brings the token behind #, where no server sees it.
  const enter = document.getElementById("enter");
  if (enter && location.hash.length > 8) {
    enter.querySelector("input").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    enter.requestSubmit();
  }

  shown();
  if (!document.hidden) listen();
})();
