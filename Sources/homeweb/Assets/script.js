// Live updates, taps and drags on tiles, checks of names during typing, and scanning of codes. Without this script,
// pages can be read and forms are sent as usual.
"use strict";

(() => {
  document.documentElement.classList.add("js");
  const byID = (id) => document.getElementById(id);
  const on = document.addEventListener.bind(document);
  const main = () => byID("main");
  const notice = byID("notice");
  // The texts below in the language of the page, which English pages omit.
  const texts = JSON.parse(byID("texts")?.textContent || "{}");
  const localized = (text) => texts[text] || text;

  // ---- Live updates

  // Elements that the visitor is changing. When the change is over, they are redrawn with the server's latest state.
  const held = new Map();
  // Elements that this script has added, which aren't in the server's HTML.
  const own = new WeakSet();

  function isEdited(element) {
    if (element === document.activeElement && element.matches("input:not([type=range]), select, textarea")) return true;
    if (element.matches("select")) {
      const initial = [...element.options].findIndex((option) => option.defaultSelected);
      return element.selectedIndex !== Math.max(initial, 0);
    }
    return element.matches("input:not([type=range], [type=color], [type=hidden], [type=file]), textarea")
      && element.value !== element.defaultValue;
  }

  // Updates an element in place, so that touches, the cursor and screen readers aren't interrupted.
  function morph(old, fresh) {
    const isAnother = old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName
      || (old.id && fresh.id && old.id !== fresh.id) || old.dataset?.self !== fresh.dataset?.self
      || (old.nodeName === "FORM" && old.getAttribute("action") !== fresh.getAttribute("action"));
    if (isAnother) {
      old.replaceWith(fresh.cloneNode(true));
      return;
    }
    if (old.nodeType === Node.TEXT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    if (old.nodeType !== Node.ELEMENT_NODE) return;
    // Keeps content that this script has added.
    if ("keep" in old.dataset && "keep" in fresh.dataset) return;
    if (held.has(old)) {
      held.set(old, fresh.cloneNode(true));
      return;
    }
    const isTyped = isEdited(old);
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !(old.nodeName === "DETAILS" && name === "open")) old.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes])
      if (old.getAttribute(name) !== value && !(isTyped && name === "value")) old.setAttribute(name, value);
    if (!isTyped && "value" in old && "value" in fresh && old.value !== fresh.value && old.nodeName !== "BUTTON") old.value = fresh.value;
    const wants = [...fresh.childNodes];
    const wanted = new Set(wants.map((node) => node.id).filter(Boolean));
    const known = new Map([...old.children].filter((node) => node.id).map((node) => [node.id, node]));
    const skip = (node) => { while (node && own.has(node)) node = node.nextSibling; return node; };
    let next = skip(old.firstChild);
    for (const node of wants) {
      const same = counterpart(node, next, known, wanted);
      if (!same) {
        old.insertBefore(node.cloneNode(true), next);
        continue;
      }
      // Remove the obsolete nodes before the matching node, so that it doesn't have to move.
      while (next !== same && !(next.id && wanted.has(next.id))) {
        const rest = next;
        next = skip(next.nextSibling);
        rest.remove();
      }
      if (same === next) next = skip(next.nextSibling);
      else old.insertBefore(same, next);
      morph(same, node);
    }
    while (next) {
      const rest = next;
      next = skip(next.nextSibling);
      rest.remove();
    }
  }

  // Returns the existing child that a new node updates: the child with the same ID or, if the new node has no ID, the
  // next child of the same type without an ID.
  function counterpart(node, next, known, wanted) {
    if (node.id) return known.get(node.id);
    if (node.nodeType !== Node.ELEMENT_NODE) return next?.nodeType === node.nodeType ? next : null;
    for (let other = next; other && !wanted.has(other.id); other = other.nextSibling)
      if (other.nodeName === node.nodeName && !other.id && !own.has(other)) return other;
    return null;
  }

  const parsed = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html;
    return template.content;
  };

  function redraw(element, html, isFrame) {
    const fresh = isFrame ? element.cloneNode(false) : parsed(html).firstElementChild, focus = document.activeElement;
    if (isFrame) fresh.append(parsed(html));
    if (fresh) morph(element, fresh);
    // An element that has moved loses the focus.
    if (focus !== document.activeElement && focus?.isConnected) focus.focus();
    shown();
  }

  function drawMain({ title, html }, frame = main()) {
    if (frame === main()) document.title = title;
    redraw(frame, html, true);
  }

  // `first` is the ID of a list whose first row the element becomes.
  function drawPart({ id, html, first }) {
    if (!html) return byID(id)?.remove();
    const list = first && byID(first), focus = document.activeElement;
    list?.prepend(byID(id) ?? parsed(html));
    if (list && focus !== document.activeElement) focus.focus();
    const element = byID(id);
    if (element) redraw(element, html);
  }

  let source = null, watchdog = null, timeout = 20000;
  const { dataset } = byID("live") ?? document.body;
  // The path contains a mark of the page's first content, which the server doesn't send again.
  const unmarked = (path) => path.replace(/mark=\w*/, "mark=");

  function listen() {
    const path = dataset.live;
    if (!path || source || document.hidden) return;
    source = new EventSource(path);
    const receive = (name, action) => source.addEventListener(name, (event) => {
      if (name !== "beat") dataset.live = unmarked(path);
      watch();
      action(JSON.parse(event.data));
    });
    receive("main", drawMain);
    receive("part", drawPart);
    receive("notice", ({ text }) => { notice.textContent = text; });
    receive("gone", ({ path }) => location.assign(path));
    // The server sends beats at a fixed interval. After three missing beats, the server is considered unreachable.
    receive("beat", ({ seconds }) => {
      timeout = (3 * seconds + 2) * 1000;
      watch();
      if (!notice.dataset.lost) return;
      delete notice.dataset.lost;
      notice.textContent = "";
    });
    // The browser would reconnect with the former path.
    source.onerror = () => {
      lost();
      stop();
      setTimeout(listen, 3000);
      // A removed visitor is rejected before the path is read.
      fetch("/live?page=/-").then(({ status }) => status === 401 && enter(), () => {});
    };
    watch();
  }

  function watch() {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => { lost(); stop(); listen(); }, timeout);
  }

  const enter = () => location.assign("/enter");

  function lost() {
    notice.dataset.lost = "1";
    notice.textContent = localized("Connection lost. Reconnecting…");
  }

  function stop() {
    clearTimeout(watchdog);
    if (source) source.close();
    source = null;
  }

  // A hidden page receives no updates.
  on("visibilitychange", () => (document.hidden ? stop() : listen()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", listen);

  // ---- Changes

  function clear(place) { place.querySelector(":scope > .refusal")?.remove(); }

  // Shows an error next to an element, until the visitor dismisses the error or tries again.
  function refuse(place, message) {
    clear(place);
    const refusal = parsed('<p class="refusal" role="alert"><button type="button" class="dismiss">×</button></p>').firstChild;
    refusal.firstChild.ariaLabel = localized("Dismiss");
    refusal.firstChild.onclick = () => refusal.remove();
    refusal.prepend(message);
    own.add(refusal);
    place.append(refusal);
  }

  const limit = () => AbortSignal.timeout(10000);
  const get = (path) => fetch(path, { headers: { Accept: "application/json" }, signal: limit() })
    .then((response) => (response.ok ? response.json() : null)).catch(() => null);

  async function post(action, fields) {
    const response = await fetch(action, {
      method: "POST", signal: limit(),
      headers: { Accept: "application/json", "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(fields),
    }).catch(() => { throw new Error(localized("The page isn't responding.")); });
    if (response.status === 401) enter();
    const answer = await response.json().catch(() => ({}));
    if (answer.confirm) return (await ask(answer.confirm)) ? post(action, { ...fields, confirmed: "1" }) : { isCanceled: true };
    if (!response.ok) throw Object.assign(new Error(answer.message || localized("That didn't work.")), { suggestions: answer.suggestions });
    return answer;
  }

  // Shows a question from the server, and returns whether the visitor agreed.
  function ask({ question, about, button }) {
    const dialog = parsed('<dialog aria-labelledby="ask"><form method="dialog" class="stack"><h2 id="ask"></h2><p></p><button class="button danger" value="1"></button><button class="button" autofocus></button></form></dialog>').firstChild;
    dialog.querySelector("h2").textContent = question;
    dialog.querySelector("p").textContent = about;
    [dialog.querySelector(".danger").textContent, dialog.querySelector("[autofocus]").textContent] = [button, localized("Cancel")];
    document.body.prepend(dialog);
    dialog.showModal();
    return new Promise((answer) => {
      dialog.onclose = () => { dialog.remove(); answer(dialog.returnValue === "1"); };
    });
  }

  // An element that the visitor is changing shows the expected state. The server's latest state is stored until the
  // change is over.
  function hold(place) {
    if (held.has(place)) return;
    clear(place);
    const copy = place.cloneNode(true);
    for (const input of copy.querySelectorAll("input")) input.value = input.defaultValue;
    held.set(place, copy);
  }

  function release(place) {
    if (queues.has(place) || place === grabbed) return;
    const truth = held.get(place);
    held.delete(place);
    if (truth && place.isConnected) morph(place, truth);
    shown();
  }

  // Each element has at most one running request. Later changes wait for it and are sent together, with the latest
  // value of each field.
  const queues = new Map();
  let grabbed = null;
  const wait = (time) => new Promise((done) => setTimeout(done, time));

  // Returns whether the server's latest state has the values that the visitor has changed.
  function hasArrived(place, before) {
    const [shown, former, latest] = [place, before, held.get(place)].map((element) =>
      [...element.querySelectorAll("button, input")].map((one) => one.value + one.ariaPressed));
    return shown.every((value, index) => value === former[index] || value === latest[index]);
  }

  async function send(place, action, fields, pace = 0) {
    const queue = queues.get(place);
    if (queue) {
      // A change of some controls replaces the waiting one, such as Stop after Open.
      if (place.matches(".alone")) for (const name of Object.keys(queue)) delete queue[name];
      return void Object.assign(queue, fields);
    }
    hold(place);
    place.classList.add("pending");
    if (dataset.live) dataset.live = unmarked(dataset.live);
    let next = { ...fields }, refusal = null;
    while (Object.keys(next).length) {
      const later = {};
      queues.set(place, later);
      const pause = wait(pace), before = held.get(place);
      try {
        const answer = await post(action, next);
        if (answer.isCanceled) break;
        refusal = "";
        for (const input of place.querySelectorAll("input[type=number], input[type=text]")) input.defaultValue = input.value;
        if (answer.toast) toast(answer.toast);
        if (place.querySelector(".result")) finder?.close();
        if (place.closest("#search-results")) find();
        // The new state arrives by live update, before or shortly after the answer.
        for (let turn = 0; turn < 25 && !hasArrived(place, before) && !Object.keys(later).length; turn++) await wait(20);
      } catch (error) {
        refusal = error.message;
      }
      await pause;
      next = later;
    }
    queues.delete(place);
    place.classList.remove("pending");
    // Without live updates, this state is final.
    if (refusal === "" && source?.readyState !== EventSource.OPEN) held.delete(place);
    release(place);
    if (refusal) refuse(place, refusal);
  }

  // Shows the expected result of a button until the server sends the actual state.
  function expect(form, button, place) {
    if ("other" in button.dataset) {
      const name = button.hasAttribute("aria-checked") ? "aria-checked" : "aria-pressed";
      const isOn = button.getAttribute(name) !== "true";
      button.setAttribute(name, String(isOn));
      if (place.matches(".tile")) place.classList.toggle("on", isOn);
      [button.value, button.dataset.other] = [button.dataset.other, button.value];
    } else if (button.matches(".segment, .swatch")) {
      for (const one of form.querySelectorAll(".segment, .swatch")) one.setAttribute("aria-pressed", String(one === button));
    }
  }

  on("submit", (event) => {
    const form = event.target, button = event.submitter;
    if (!form.action.match(/\/(values|off|order|enabled)$|\/scenes\/[^/]+\/run$/) && !form.closest("#search li")) return;
    event.preventDefault();
    const place = form.closest(".tile, .control") || button?.closest(".looks") || form;
    const fields = Object.fromEntries(new FormData(form, button));
    if (form.matches(".presses")) return pressKey(form, fields);
    const item = button?.closest(".places")?.parentNode;
    if (item) {
      // The item moves at once, so that the next press counts from its new position.
      hold(form);
      const isUp = button.nextElementSibling, other = isUp ? item.previousElementSibling : item.nextElementSibling;
      if (other) item[isUp ? "after" : "before"](other);
      fields.move = position(item);
    }
    send(place, form.getAttribute("action"), fields);
    if (button) expect(form, button, place);
  });

  // ---- Sliders

  // The minimum interval between requests of a slider, in milliseconds. Its last value is always sent.
  const pace = 150;

  function words(range) {
    const number = Number(range.value);
    if (range.dataset.factor === "kelvin") return `${Math.round(1e6 / number / 10) * 10} K`;
    const { unit } = range.dataset;
    const value = range.value.replace(".", localized("."));
    return unit ? `${value}${unit === "°" ? "" : " "}${unit}` : value;
  }

  on("input", (event) => {
    const input = event.target;
    if (!input.matches("input[type=range]")) return;
    const tile = input.closest(".tile"), place = tile || input.closest("form");
    if (!place) return;
    hold(place);
    const action = tile ? `/services/${tile.id.slice(2)}/values` : place.getAttribute("action");
    const back = place.querySelector("[name=back]")?.value || location.pathname;
    if (tile) [tile.querySelector(".fill").value, input.ariaValueText] = [input.value, `${Math.round(input.value)} %`];
    else if (input.type === "range") paint(place, input);
    const fields = { back };
    for (const one of place.matches(".wheel") ? place.querySelectorAll(".range") : [input]) fields[one.name.replace("typed:", "")] = one.value;
    send(place, action, fields, pace);
  });

  on("change", (event) => {
    const input = event.target, form = input.closest("form.stepper");
    if (!form || !input.matches("input[type=number]") || !input.reportValidity()) return;
    const back = form.querySelector("[name=back]").value;
    send(form, form.getAttribute("action"), { back, [input.name.replace("typed:", "")]: input.value });
  });

  // ---- Controls made for a kind of device

  // Shows the value of a slider in the control's words and picture.
  function paint(place, range) {
    const text = words(range), output = place.querySelector(`output[for="${range.id}"]`);
    const amount = range.parentNode.querySelector(".amount"), dial = place.querySelector(".dial");
    if (output) output.textContent = text;
    range.setAttribute("aria-valuetext", text);
    if (amount) amount.value = range.value - range.min;
    const ranges = [...place.querySelectorAll(".range")], knobs = place.querySelectorAll(".knob");
    if (dial) {
      const { low, high } = dial.dataset, arc = dial.querySelector(".arc");
      const shares = ranges.map((one) => (one.value - low) / (high - low)), from = shares.length > 1 ? Math.min(...shares) : 0;
      knobs.forEach((knob, at) => knob.setAttribute("transform", `rotate(${135 + 270 * shares[at]} 100 100)`));
      arc.setAttribute("stroke-dasharray", `${270 * (Math.max(...shares) - from)} 360`);
      arc.setAttribute("stroke-dashoffset", -270 * from);
      dial.querySelector(".aim").textContent = ranges.map(words).join(" – ");
    } else if (place.matches(".wheel")) {
      const [hue, saturation] = ranges.map((one) => Number(one.value)), angle = (hue * Math.PI) / 180;
      knobs[0].setAttribute("cx", saturation * Math.cos(angle));
      knobs[0].setAttribute("cy", saturation * Math.sin(angle));
      knobs[0].setAttribute("fill", `hsl(${hue} 100% ${100 - saturation / 2}%)`);
    }
  }

  // A drag on a dial or a color wheel moves the sliders below it.
  let turning = null;

  on("pointerdown", (event) => {
    const picture = event.target.closest(".dial, .disc");
    if (!picture || !event.isPrimary || event.button) return;
    const place = picture.closest("form"), ranges = [...place.querySelectorAll(".range")];
    const { radius, share } = locate(picture, event);
    if (picture.matches(".dial")) {
      // The middle of a dial and the gap in its scale don't set anything.
      if (radius < 0.55 || radius > 1.1 || share < -0.04 || share > 1.04) return;
      const { low, high } = picture.dataset, distance = (one) => Math.abs((one.value - low) / (high - low) - share);
      ranges.sort((one, other) => distance(one) - distance(other));
    }
    event.preventDefault();
    grab(place);
    picture.setPointerCapture(event.pointerId);
    turning = { picture, ranges, share };
    turn(event);
  });
  on("pointermove", (event) => { if (turning) turn(event); });
  for (const name of ["pointerup", "pointercancel"]) on(name, () => (turning = null));

  // Returns the place of a pointer on a dial or wheel: the distance from the middle, where 1 is the edge, the clockwise
  // angle from the right in degrees, and the share of a dial's scale.
  function locate(picture, event) {
    const box = picture.getBoundingClientRect();
    const x = event.clientX - box.x - box.width / 2, y = event.clientY - box.y - box.height / 2;
    const angle = ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360, turned = (angle + 225) % 360;
    return { radius: Math.hypot(x, y) / (box.width / 2), angle, share: (turned > 315 ? turned - 360 : turned) / 270 };
  }

  function turn(event) {
    const { picture, ranges } = turning, { radius, angle, share } = locate(picture, event);
    if (picture.matches(".disc")) {
      ranges[0].value = angle;
      ranges[1].value = Math.min(radius / 0.89, 1) * 100;
      paint(picture.closest("form"), ranges[1]);
    } else {
      // A drag doesn't jump over the gap from one end to the other.
      if (Math.abs(share - turning.share) > 0.5) return;
      turning.share = share;
      const { low, high } = picture.dataset, before = ranges[0].value;
      ranges[0].value = Number(low) + share * (high - low);
      if (ranges[0].value === before) return;
    }
    ranges[0].dispatchEvent(new Event("input", { bubbles: true }));
  }

  // Buttons next to a number change it by a step. Quick presses add up.
  on("click", (event) => {
    const button = event.target.closest("button[data-step]"), input = button?.parentNode.querySelector("input");
    if (!input) return;
    event.preventDefault();
    const limit = (name, otherwise) => (input[name] === "" ? otherwise : Number(input[name]));
    const number = Math.min(limit("max", Infinity), Math.max(limit("min", -Infinity), Number(input.value) + Number(button.dataset.step)));
    input.value = Number(number.toFixed(3));
    input.dispatchEvent(new Event(input.type === "range" ? "input" : "change", { bubbles: true }));
  });

  // Each press of a remote's key counts, so presses wait for each other and aren't combined.
  const presses = new WeakMap();

  function pressKey(form, fields) {
    const waiting = presses.get(form) || { count: 0, last: Promise.resolve() };
    presses.set(form, waiting);
    if (waiting.count >= 20) return;
    waiting.count += 1;
    clear(form);
    waiting.last = waiting.last.then(() => post(form.getAttribute("action"), fields))
      .catch((error) => refuse(form, error.message)).finally(() => { waiting.count -= 1; });
  }

  on("keydown", (event) => {
    const key = event.target.closest?.(".remote") && event.target.closest(".remote").querySelector(`[data-arrow="${event.key}"]`);
    if (!key || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    key.click();
  });

  // A lamp's tile is also its slider: a drag dims the lamp, a tap switches it.
  let drag = null;

  on("pointerdown", (event) => {
    const range = event.target.closest("input.range");
    if (range) grab(range.closest("form"));
    const tile = event.target.closest(".tile.draggable");
    if (!tile || !event.isPrimary || event.button) return;
    const level = tile.querySelector("input.level");
    drag = { tile, level, x: event.clientX, y: event.clientY, from: Number(level.value), moved: false };
  });

  function grab(place) {
    hold(place);
    grabbed = place;
  }

  on("pointermove", (event) => {
    if (!drag) return;
    const across = event.clientX - drag.x;
    if (!drag.moved) {
      if (Math.abs(event.clientY - drag.y) > 12) return void (drag = null);
      if (Math.abs(across) < 10) return;
      drag.moved = true;
      grab(drag.tile);
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

  function drop() {
    const place = grabbed;
    grabbed = null;
    if (drag?.moved) {
      const { tile } = drag;
      tile.classList.remove("held");
      // Ignores the click after a drag with the mouse. A drag with a finger has no click, so the next touch counts.
      const swallow = (click) => { click.preventDefault(); click.stopPropagation(); };
      tile.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => tile.removeEventListener("click", swallow, { capture: true }), 50);
    }
    drag = null;
    if (place) release(place);
  }
  on("pointerup", drop);
  on("pointercancel", drop);
  on("dragstart", (event) => { if (event.target.closest?.(".tile")) event.preventDefault(); });

  // A long press opens the details.
  let press = null;
  on("pointerdown", (event) => {
    const tile = event.target.closest("button.touch")?.closest(".tile");
    const link = tile?.querySelector("a.words");
    clearTimeout(press);
    if (link) press = setTimeout(() => { if (!drag?.moved) location.assign(link.href); }, 600);
  });
  for (const name of ["pointerup", "pointercancel", "scroll"]) on(name, () => clearTimeout(press), true);

  // ---- Order

  const position = (item) => `${item.id.slice(2)} ${[...item.parentNode.children].indexOf(item)}`;

  // The other items move, so that the pointer stays on the dragged one.
  on("pointerdown", (event) => {
    const item = event.target.closest(".grip")?.closest("li"), list = item?.parentNode, form = list?.closest("form");
    if (!form || event.button || queues.has(form)) return;
    event.preventDefault();
    grab(form);
    list.setPointerCapture(event.pointerId);
    item.classList.add("lifted");
    const middle = (other) => { const box = other.getBoundingClientRect(); return box.top + box.height / 2; };
    list.onpointermove = ({ clientY }) => {
      for (let other; (other = item.previousElementSibling) && clientY < middle(other);) item.after(other);
      for (let other; (other = item.nextElementSibling) && clientY > middle(other);) item.before(other);
    };
    list.onpointerup = list.onpointercancel = ({ type }) => {
      list.onpointermove = list.onpointerup = list.onpointercancel = null;
      item.classList.remove("lifted");
      if (type !== "pointerup") return;
      send(form, form.getAttribute("action"), { back: form.querySelector("[name=back]").value, move: position(item) });
    };
  });

  // ---- Sheet

  // On a wide screen, pages of accessories open over the home.
  on("click", (event) => {
    const link = event.target.closest("main:has(.rooms) a:is(.words, .status .chip)");
    if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || !matchMedia("(min-width: 1600px)").matches) return;
    event.preventDefault();
    fetch(link.href, { signal: limit() }).then((answer) => answer.text()).then((html) => {
      const page = new DOMParser().parseFromString(html, "text/html"), path = page.getElementById("live").dataset.live;
      if (!path) return void location.assign(link.href);
      const dialog = parsed('<dialog class="sheet"><button type="button" class="button round">×</button><div></div></dialog>').firstChild;
      dialog.ariaLabel = page.title;
      dialog.firstChild.ariaLabel = localized("Close");
      const [close, frame] = dialog.children, live = new EventSource(unmarked(path));
      const receive = (name, action) => live.addEventListener(name, ({ data }) => action(JSON.parse(data)));
      frame.append(...page.getElementById("main").childNodes);
      receive("main", (content) => drawMain(content, frame));
      receive("part", drawPart);
      receive("gone", ({ path }) => location.assign(path));
      close.onclick = () => dialog.close();
      dialog.onclick = ({ target }) => { if (target === dialog) dialog.close(); };
      dialog.onclose = () => { live.close(); main().before(toasts); dialog.remove(); };
      // Elements outside a modal dialog can't be used.
      dialog.append(toasts);
      document.body.append(dialog);
      dialog.showModal();
      shown();
    }).catch(() => location.assign(link.href));
  });

  // ---- Names

  let checking = null;

  on("input", (event) => {
    const form = event.target.closest("[data-names]");
    if (!form || event.target.name !== "name") return;
    clearTimeout(checking);
    checking = setTimeout(() => check(form, event.target), 200);
  });

  // A refused name stays in its form, with the reason and suggestions.
  on("submit", (event) => {
    const form = event.target, input = form.elements?.name;
    if (!form.matches("form[data-names]")) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "1";
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    post(form.getAttribute("action"), fields)
      .then(({ path }) => { if (path) location.assign(path); })
      .catch((error) => hint(form, input, error.message, error.suggestions || []))
      .finally(() => delete form.dataset.sending);
  });

  // A new room that was typed for one accessory is suggested for the others.
  on("change", ({ target }) => {
    const list = target.list;
    if (list?.id !== "rooms" || !target.value || [...list.options].some((room) => room.value === target.value)) return;
    list.append(new Option("", target.value));
  });

  async function check(form, input) {
    const { names, self, in: home } = form.dataset;
    const query = new URLSearchParams({ kind: names, name: input.value });
    if (self) query.set("self", self);
    if (home) query.set("in", home);
    const answer = await get(`/check-name?${query}`);
    if (answer) hint(form, input, answer.refusal, answer.suggestions);
  }

  function hint(form, input, refusal, suggestions) {
    const hint = form.querySelector(".hint");
    if (!hint) return;
    hint.textContent = refusal;
    input.setAttribute("aria-invalid", String(refusal !== ""));
    for (const suggestion of suggestions) {
      const button = parsed('<button type="button" class="button"></button>').firstChild;
      button.textContent = suggestion;
      button.onclick = () => { input.value = suggestion; input.focus(); check(form, input); };
      hint.append(" ", button);
    }
  }

  // ---- Messages with an Undo button

  const toasts = byID("toasts");

  // An animation measures the time, so that it pauses while the message has the pointer or the focus.
  function toast(html) {
    toasts.innerHTML = html;
    const message = toasts.firstElementChild;
    message.style.animationDuration = `${message.dataset.seconds}s`;
  }
  toasts.onanimationend = ({ target }) => target.remove();

  const focusMain = () => main().focus({ preventScroll: true });
  toasts.onclick = ({ target }) => {
    if (!target.matches(".dismiss")) return;
    toasts.innerHTML = "";
    focusMain();
  };
  toasts.onsubmit = (event) => {
    event.preventDefault();
    const form = event.target;
    form.hidden = true;
    // An error stays until it is dismissed.
    form.parentNode.style.animation = "none";
    focusMain();
    post("/undo", new FormData(form)).then((answer) => toast(answer.toast)).catch((error) => form.replaceWith(error.message));
  };

  // Screen readers announce only what appears later than the page.
  const first = toasts.innerHTML;
  toasts.innerHTML = "";
  if (first) setTimeout(toast, 100, first);

  // ---- Search

  const finder = byID("search"), found = byID("search-results"), sought = byID("search-text");
  const chosen = () => byID(sought?.getAttribute("aria-activedescendant"));
  let finding = null, isFinding = false, soughtBefore = null;

  function openSearch(event) {
    event.preventDefault();
    finder?.showModal();
    sought.select();
    find();
  }

  // Requests the results of the latest text, one request at a time. If only their states change, the chosen one stays.
  async function find() {
    if (isFinding) return;
    isFinding = true;
    for (let text = null; text !== sought.value;) {
      const kept = sought.value === soughtBefore && chosen()?.id;
      text = soughtBefore = sought.value;
      const answer = await get(`/search?${new URLSearchParams(new FormData(sought.form))}`);
      if (!answer) break;
      redraw(found, answer.html, true);
      found.previousElementSibling.textContent = answer.status;
      found.role = answer.html ? "listbox" : null;
      sought.ariaExpanded = String(answer.html !== "");
      choose(byID(kept) || (text && found.querySelector(".result")));
    }
    isFinding = false;
  }

  function choose(option) {
    chosen()?.removeAttribute("aria-selected");
    sought.setAttribute("aria-activedescendant", option?.id || "");
    option?.scrollIntoView?.({ block: "nearest" });
    shown();
  }

  if (sought) {
    sought.oninput = () => {
      clearTimeout(finding);
      finding = setTimeout(find, 120);
    };
    sought.onkeydown = (event) => {
      const { key } = event, option = chosen(), rows = [...found.children], at = rows.findIndex((row) => row.contains(option));
      let next = { ArrowDown: rows[(at + 1) % rows.length], ArrowUp: rows.at(Math.max(at, 0) - 1) }[key]?.querySelector(".result");
      const side = { ArrowRight: ".side", ArrowLeft: ".result" }[key];
      if (option && side && sought.selectionStart === sought.value.length) next = rows[at].querySelector(side);
      if (next && next !== option) choose(next);
      else if (key === "Enter" && option) option.click();
      else return;
      event.preventDefault();
    };
    if (!finder) find();
  }

  on("keydown", (event) => {
    const { key, target } = event, isControl = event.ctrlKey || event.metaKey;
    if (target.closest("input, textarea, select, dialog:not(.sheet)")) return;
    if (key === "/" && sought && !isControl) openSearch(event);
    if (key === "z" && isControl) toasts.querySelector("form")?.requestSubmit();
  });

  // ---- Selection

  let lastBox = null;

  on("click", (event) => {
    const { target } = event, form = target.closest(".pick");
    if (target.closest(".search-link")) return void openSearch(event);
    if (!form || target.type !== "checkbox") return;
    const boxes = (place) => [...place.querySelectorAll("[name=accessory]")], all = boxes(form);
    const ends = [all.indexOf(lastBox), all.indexOf(target)].sort((a, b) => a - b);
    let changed = [];
    if (target.name === "room") changed = boxes(target.closest("fieldset"));
    else if (event.shiftKey && ends[0] >= 0) changed = all.slice(...ends);
    for (const box of changed) box.checked = target.checked;
    lastBox = target;
    for (const room of form.querySelectorAll("[name=room]")) room.checked = boxes(room.closest("fieldset")).every((box) => box.checked);
    const count = form.querySelector("output");
    count.textContent = count.dataset.words.replace("{n}", all.filter((box) => box.checked).length);
  });

  // ---- Codes

  // Returns the text of a QR code in a picture. Most browsers can't decode QR codes, so the server does it.
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
      signal: AbortSignal.timeout(10000),
    });
    return response.ok ? (await response.json()).text : null;
  }

  function shown() {
    const option = chosen();
    if (option) option.ariaSelected = "true";
    // The server doesn't know the browser's time zone.
    for (const time of document.querySelectorAll("time[datetime]")) {
      const words = new Date(time.dateTime).toLocaleString();
      if (time.textContent !== words) time.textContent = words;
    }
    const camera = byID("scan-camera"), photo = byID("scan-photo");
    if (!camera || camera.dataset.ready) return;
    camera.dataset.ready = "1";
    const hint = byID("scan-hint");
    photo.hidden = false;
    camera.hidden = !navigator.mediaDevices;
    const found = async (image) => {
      const code = await read(image);
      if (code?.startsWith("X-HM://")) {
        byID("code").value = code;
        byID("code").form.requestSubmit();
        return code;
      }
    };
    photo.querySelector("input").onchange = async (event) => {
      const image = await createImageBitmap(event.target.files[0]).catch(() => null);
      if (!image || !(await found(image))) hint.textContent = localized("No accessory QR code found in this picture.");
    };
    camera.onclick = async () => {
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).catch(() => null);
      if (!stream) return void (hint.textContent = localized("Access to the camera was denied."));
      const video = document.createElement("video");
      video.className = "viewfinder";
      video.setAttribute("aria-label", localized("Camera image"));
      video.srcObject = stream;
      camera.after(video);
      await video.play();
      const end = Date.now() + 60000;
      while (video.isConnected && Date.now() < end && !(await found(video).catch(() => null))) await new Promise((done) => setTimeout(done, 400));
      stream.getTracks().forEach((track) => track.stop());
      video.remove();
    };
  }

  // Dismisses a message above the page, such as the reason why a form wasn't accepted.
  byID("dismiss")?.addEventListener("click", (event) => event.target.closest(".message").remove());

  // A rejected form shows the typed values again. Live updates replace only values that weren't typed.
  for (const input of document.querySelectorAll("[data-former]")) {
    const { value } = input;
    input.defaultValue = input.dataset.former;
    input.value = value;
  }

  // The link from "homehub web" contains the token after #, which isn't sent to the server.
  function signIn() {
    const enter = byID("enter");
    // A signed-in browser is redirected to another page, and its address still contains the token. Remove the token.
    if (!enter && /^#[a-z2-9]{26}$/.test(location.hash)) history.replaceState(null, "", location.pathname + location.search);
    if (!enter || location.hash.length <= 8) return;
    enter.querySelector("input").value = location.hash.slice(1);
    history.replaceState(null, "", location.pathname);
    enter.requestSubmit();
  }
  addEventListener("hashchange", signIn);
  signIn();

  // ---- Installation and wall tablets

  // A worker shows a page while the server can't be reached. Browsers allow workers only over HTTPS and on this computer.
  // A page without the attribute removes the worker.
  const workers = navigator.serviceWorker, worker = document.body.dataset.worker;
  if (workers && worker) workers.register(worker, { scope: "/" }).catch(() => {});
  else workers?.getRegistrations().then((all) => all.forEach((one) => one.unregister()));

  // The page of an unreachable server opens the requested page when the server answers again.
  if (document.querySelector("[data-offline]")) {
    setInterval(async () => {
      if (document.hidden) return;
      const answer = await fetch("/assets/icon.svg", { cache: "no-store", signal: AbortSignal.timeout(4000) }).catch(() => null);
      if (answer?.ok) location.reload();
    }, 5000);
  }

  // A wall tablet keeps its screen on, and returns to Home after a minute without touch.
  function hang() {
    const home = document.querySelector(".bar a")?.href;
    if (!home || !document.documentElement.matches(".tablet")) return;
    const wake = () => { if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {}); };
    let timer;
    const rest = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // A page without connection would show old states. Opening it again shows whether the server can be reached.
        const isHome = location.href === home && !document.querySelector("dialog") && !notice.dataset.lost;
        if (!isHome || performance.now() > 86400000) return location.assign(home);
        scrollTo(0, 0);
        rest();
      }, 60000);
    };
    for (const name of ["pointerdown", "pointermove", "keydown", "input", "wheel"]) addEventListener(name, rest, { passive: true });
    on("visibilitychange", wake);
    wake();
    rest();
  }
  hang();

  shown();
  if (!document.hidden) listen();
})();
