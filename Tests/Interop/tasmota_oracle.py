"""What hatasmota, Home Assistant's reader of Tasmota's own discovery, makes of devices: the judge of TasmotaDiscovery."""
from hatasmota import const, discovery, light


def device(**keys):
    """A discovery message as Tasmota 13 sends it."""
    options = {"4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0, "117": 0}
    options |= keys.pop("so", {})
    message = {
        "ip": "192.168.1.20", "dn": "Tasmota", "fn": ["Lamp"] + [None] * 7, "hn": "tasmota-4711", "mac": "AABBCC004711",
        "md": "Magic Home", "ty": 0, "if": 0, "ofln": "Offline", "onln": "Online",
        "state": ["OFF", "ON", "TOGGLE", "HOLD"], "sw": "13.4.0", "t": "tasmota_004711", "ft": "%prefix%/%topic%/",
        "tp": ["cmnd", "stat", "tele"], "rl": [2] + [0] * 31, "swc": [-1] * 28, "swn": [None] * 28, "btn": [0] * 32,
        "so": options, "lk": 1, "lt_st": 5, "bat": 0, "dslp": 0, "sho": [], "sht": [], "ver": 1,
    }
    return message | keys


def entities(message):
    """The lights and switches: their numbers, topics, words and ranges."""
    config = discovery.TASMOTA_DISCOVERY_SCHEMA(dict(message))
    found = []
    kinds = {light.LIGHT_TYPE_NONE: "power", light.LIGHT_TYPE_DIMMER: "dimmer", light.LIGHT_TYPE_COLDWARM: "temperature",
             light.LIGHT_TYPE_RGB: "color", light.LIGHT_TYPE_RGBW: "colorAndWhite",
             light.LIGHT_TYPE_RGBCW: "colorAndTemperature"}
    for platform in ("light", "switch"):
        for entity, _ in discovery.get_entities_for_platform(dict(config), platform):
            if entity is None:
                continue
            kind = kinds[entity.light_type] if entity.endpoint == "light" else "power"
            item = {"number": entity.idx + 1, "platform": platform, "kind": kind, "name": entity.friendly_name,
                    "result": entity.result_topic, "state": entity.state_topic, "will": entity.availability_topic,
                    "command": entity.command_topic, "poll": entity.poll_topic}
            if entity.endpoint == "light" and kind != "power":
                item |= {"dimmer": entity.dimmer_cmd, "mireds": [entity.min_mireds, entity.max_mireds]}
            found.append(item)
    return found


DEVICES = {
    "one relay": device(rl=[1] + [0] * 31, lt_st=0, lk=0),
    "two relays, one with a name": device(rl=[1, 1] + [0] * 30, fn=["Left", "Right"] + [None] * 6, lt_st=0),
    "relays that are lights": device(rl=[1, 1] + [0] * 30, so={"30": 1}, lt_st=0),
    "dimmer": device(lt_st=1),
    "cold and warm": device(lt_st=2),
    "reduced range": device(lt_st=2, so={"82": 1}),
    "colour": device(lt_st=3),
    "colour and white": device(lt_st=4),
    "colour, cold and warm": device(),
    "colour and white apart": device(lt_st=4, lk=0, rl=[2, 2] + [0] * 30),
    "colour, cold and warm apart": device(lk=0, rl=[2, 2] + [0] * 30),
    "channels": device(rl=[2, 2, 2] + [0] * 29, so={"68": 1}),
    "relay before a light": device(rl=[1, 2] + [0] * 30, lt_st=1),
    "tuya dimmer": device(lt_st=1, ty=1),
    "shutters and a relay": device(rl=[3, 3, 1] + [0] * 29, lt_st=0),
    "topics the other way round": device(ft="home/%topic%/%prefix%/", t="lamp", lt_st=1),
    "other words": device(state=["0", "1", "2", "3"], onln="up", ofln="down", lt_st=1),
}

if __name__ == "__main__":
    import json

    print(json.dumps([{"name": name, "device": message, "entities": entities(message)}
                      for name, message in DEVICES.items()], indent=1))
