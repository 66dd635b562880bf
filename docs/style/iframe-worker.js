// Browsers refuse to start workers for pages opened from disk. Here a worker is a hidden frame that runs the same script and
// exchanges the same messages, copied as a worker's are, so that the search works there too.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.appendChild(this.frame);
      const inner = this.frame.contentWindow;
      this.started = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }));
      window.addEventListener("message", (event) => {
        if (event.source !== inner) return;
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        this.onmessage?.(message);
      });
      inner.document.open();
      inner.document.write("<!doctype html><body><script>postMessage = (data) => parent.postMessage(data, '*')<\/script>"
        + `<script src="${new URL(url, location.href)}"><\/script>`);
      inner.document.close();
    }
    postMessage(data) {
      const copy = structuredClone(data);
      this.started.then(() => this.frame.contentWindow?.dispatchEvent(new MessageEvent("message", { data: copy })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
