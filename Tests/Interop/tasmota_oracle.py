"""Parses devices with hatasmota, Home Assistant's parser of Tasmota's native discovery, to verify TasmotaDiscovery."""
from hatasmota import discovery, light, sensor


def device(**keys):
    """Return a discovery message like those of Tasmota 13."""
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
    """Return the lights, switches and shutters with their numbers, topics, words and ranges."""
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
    for entity, _ in discovery.get_entities_for_platform(dict(config), "cover"):
        if entity is None:
            continue
        item = {"number": entity.idx + 1, "platform": "cover", "result": entity.state_topic1, "sensor": entity.state_topic2,
                "status": entity.state_topic3, "will": entity.availability_topic, "command": entity.command_topic,
                "inverted": bool(entity.inverted_shutter)}
        if entity.tilt_dur and entity.tilt_min != entity.tilt_max:
            item["tilt"] = [entity.tilt_min, entity.tilt_max]
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
    "shutters with slats, one inverted": device(
        rl=[3, 3, 3, 3] + [0] * 28, lt_st=0, sho=[0, 1], sht=[[-90, 90, 12], [0, 0, 0]]),
    "topics the other way round": device(ft="home/%topic%/%prefix%/", t="lamp", lt_st=1),
    "other words": device(state=["0", "1", "2", "3"], onln="up", ofln="down", lt_st=1),
}

#: Reports of sensors in `sn`, from users' devices (Tasmota #6447, #9267, Home Assistant #98699).
SENSORS = {
    "two thermometers": {
        "Time": "2024-03-31T08:46:17", "Switch1": "ON", "DS18B20-1": {"Id": "3CCCE3810022", "Temperature": 18.4},
        "DS18B20-2": {"Id": "3CF0E381CD74", "Temperature": 17.7}, "TempUnit": "C"},
    "a weather station": {
        "Time": "2023-08-20T11:09:47", "DS18B20": {"Id": "3CE10457A8F9", "Temperature": 27.9},
        "BME280": {"Temperature": 27.8, "Humidity": 54.5, "DewPoint": 17.8, "Pressure": 1018.0},
        "BH1750": {"Illuminance": 171}, "PressureUnit": "hPa", "TempUnit": "C"},
    "degrees Fahrenheit": {
        "Time": "2021-09-23T18:26:49", "DHT11": {"Temperature": 68.0, "Humidity": 60.0, "DewPoint": 53.6}, "TempUnit": "F"},
    "a socket that measures": {
        "Time": "2020-10-17T18:56:16.440+02:00", "ENERGY": {
            "TotalStartTime": "2020-01-17T19:18:31", "Total": 261.244, "Yesterday": 1.737, "Today": 1.163, "Power": 76.2,
            "ApparentPower": 131.265, "ReactivePower": 106.9, "Factor": 0.58, "Voltage": 231.1, "Current": 0.568}},
    "analog inputs": {
        "Time": "2024-01-01T00:00:00", "ANALOG": {"Temperature1": 21.25, "Illuminance2": 80, "A3": 5}, "TempUnit": "C"},
    "thermometers by Bluetooth": {
        "Time": "2024-01-01T00:00:00", "LYWSD03-3b61b1": {
            "mac": "a4c1383b61b1", "Temperature": 20.3, "Humidity": 51.6, "DewPoint": 10.0, "Battery": 63, "RSSI": -74},
        "LYWSD03-4e2ab0": {
            "mac": "a4c1384e2ab0", "Temperature": -4.1, "Humidity": None, "DewPoint": None, "Battery": 9, "RSSI": -80},
        "TempUnit": "C"},
}
#: The readings that the bridge shows.
SHOWN = {"Temperature": "temperature", "Humidity": "humidity", "Illuminance": "illuminance", "Ambient": "illuminance",
         "Battery": "battery", "Power": "power", "Total": "energy", "Voltage": "voltage", "Current": "current"}


def readings(sensors):
    """Return the shown readings of a device's sensors with their ids, units and topics."""
    config = discovery.TASMOTA_DISCOVERY_SCHEMA(device(rl=[0] * 32, lt_st=0, lk=0))
    message = discovery.TASMOTA_SENSOR_DISCOVERY_SCHEMA({"sn": sensors, "ver": 1})
    return [{"id": entity.unique_id, "reading": SHOWN[entity.quantity], "unit": entity.unit,
             "value": entity.discovered_value, "told": entity.state_topic1, "answered": entity.state_topic2,
             "asked": f"{entity.poll_topic} {entity.poll_payload}"}
            for entity, _ in sensor.get_sensor_entities(message, config) if entity.quantity in SHOWN]


def sensor_devices():
    return [{"name": name, "device": device(rl=[0] * 32, lt_st=0, lk=0), "sensors": {"sn": sensors, "ver": 1},
             "readings": readings(sensors)} for name, sensors in SENSORS.items()]


def switches():
    """Return a device with a switch of each mode, and the meanings of its actions."""
    message = device(rl=[0] * 32, lt_st=0, lk=0, so={"114": 1}, swc=[*range(-1, 17)] + [-1] * 10,
                     swn=[None] * 4 + ["Hall push"] + [None] * 23, state=["OFF", "ON", "TOG", "HOLD"])
    config = discovery.TASMOTA_DISCOVERY_SCHEMA(dict(message))
    return [{"name": "switches", "device": message, "triggers": [
        {"key": trigger.switchname, "event": trigger.event, "button": trigger.subtype, "type": trigger.type}
        for trigger in discovery.get_switch_triggers(config)]}]


def main(kind):
    if kind == "sensors":
        return sensor_devices()
    if kind == "switches":
        return switches()
    return [{"name": name, "device": message, "entities": entities(message)} for name, message in DEVICES.items()]


if __name__ == "__main__":
    import json
    import sys

    made = main(*sys.argv[1:] or [None])
    print(json.dumps(made, indent=1))
