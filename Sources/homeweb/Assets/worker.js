// Shows a page that says so while Lamplighter can't be reached.
//
// The worker caches only that page and the files that it needs. They have the version of its address and contain nothing
// about a home. Pages, live updates and changes always come from the server.
"use strict";

const name = `lamplighter-${location.search.slice(1)}`;
const shell = `/assets/offline.html${location.search}`;
const files = [shell, `/assets/style.css${location.search}`, `/assets/script.js${location.search}`];
// The longest time that a page may take, in milliseconds.
const patience = 20000;

addEventListener("install", (event) => {
  // Without credentials, the server doesn't know the visitor.
  const requests = files.map((file) => new Request(file, { credentials: "omit" }));
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(requests)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const clean = async () => {
    for (const other of await caches.keys()) if (other.startsWith("lamplighter-") && other !== name) await caches.delete(other);
    await registration.navigationPreload?.enable();
    await clients.claim();
  };
  event.waitUntil(clean());
});

async function page(event) {
  const late = new Promise((_, fail) => setTimeout(fail, patience));
  try {
    // The preloaded response is the browser's own request, with the cookies that it would send without a worker.
    const response = await Promise.race([late, Promise.resolve(event.preloadResponse).then((loaded) => loaded || fetch(event.request))]);
    // A reverse proxy that doesn't reach the page answers 502.
    if (response.status !== 502) return response;
  } catch { /* The server can't be reached. */ }
  return (await caches.match(shell)) || Response.error();
}

addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(event));
  else if (files.includes(pathname + search))
    event.respondWith(caches.open(name).then((cache) => cache.match(pathname + search)).then((file) => file || fetch(request)));
});
