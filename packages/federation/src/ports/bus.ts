// How control messages travel. A message may be lost, come late or twice; the protocol minds none of it.

/** The coordinator's end of the messages. */
export interface CoordinatorBus {
  listen(hear: (site: string, text: string) => void): void;
  /** Lost where the site is not there. */
  send(site: string, text: string): void;
  close(): Promise<void>;
}

/** What a site hears. */
export interface SiteListener {
  message(text: string): void;
  /** Whenever there is a connection, again and again. */
  connected(): void;
  /** Another process with this identity came, or the coordinator does not want this site: it is over. */
  ended(why: string): void;
}

/** A site's end of the messages. */
export interface SiteBus {
  listen(listener: SiteListener): void;
  send(text: string): void;
  close(): Promise<void>;
}

/** Both ends, for sites in the coordinator's own process. */
export interface MemoryBus {
  readonly coordinator: CoordinatorBus;
  site(name: string): SiteBus;
}

/** Within one process. The newest of a name wins, the older is told. */
export function memoryBus(): MemoryBus {
  let hear: (site: string, text: string) => void = () => {};
  const listeners = new Map<string, SiteListener>();
  const later = (act: () => void) => void setImmediate(act);
  return {
    coordinator: {
      listen: (handler) => {
        hear = handler;
        for (const listener of listeners.values()) later(() => listener.connected());
      },
      send: (site, text) => later(() => listeners.get(site)?.message(text)),
      close: async () => {
        hear = () => {};
      },
    },
    site: (name) => {
      let own: SiteListener | undefined;
      return {
        listen: (listener) => {
          listeners.get(name)?.ended("Another process has joined with this site's identity.");
          own = listener;
          listeners.set(name, listener);
          later(() => listener.connected());
        },
        send: (text) => later(() => listeners.get(name) === own && hear(name, text)),
        close: async () => {
          if (listeners.get(name) === own) listeners.delete(name);
        },
      };
    },
  };
}
