"""A controller's model of the bridge's lights, and its comparison with the bridge."""

from controllers import ACCESSORY_INFORMATION, NAME, short


def lights(accessories):
    """Return the lights by name: (aid, {characteristic type: iid})."""
    found = {}
    for accessory in accessories:
        name, iids = None, {}
        for service in accessory["services"]:
            for characteristic in service["characteristics"]:
                kind = short(characteristic["type"])
                if short(service["type"]) != ACCESSORY_INFORMATION:
                    iids[kind] = characteristic["iid"]
                elif kind == NAME:
                    name = characteristic.get("value")
        if accessory["aid"] != 1:
            found[name] = accessory["aid"], iids
    return found


def observable(accessories):
    """Return all characteristics with events, as `(aid, iid)`."""
    return [
        (accessory["aid"], characteristic["iid"])
        for accessory in accessories if accessory["aid"] != 1
        for service in accessory["services"] for characteristic in service["characteristics"]
        if "ev" in characteristic["perms"] and "pr" in characteristic["perms"]
    ]


class Model:
    """A controller's values: read once, then updated by events and by its own writes."""

    def __init__(self):
        self.values = {}

    def learn(self, entries):
        for entry in entries:
            if entry.get("value") is not None:
                self.values[entry["aid"], entry["iid"]] = float(entry["value"])

    def learn_new(self, entries):
        """Add read values that aren't known yet: known values come from events, which may be newer than the response."""
        self.learn([entry for entry in entries if (entry["aid"], entry["iid"]) not in self.values])

    def contradictions(self, entries):
        """Return the contradicted values: `(aid, iid)` with the model's and the bridge's value, except unreadable values."""
        wrong = {}
        for entry in entries:
            key = entry["aid"], entry["iid"]
            if key in self.values and entry.get("value") is not None and not entry.get("status"):
                if self.values[key] != float(entry["value"]):
                    wrong[key] = self.values[key], float(entry["value"])
        return wrong
