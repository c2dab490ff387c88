"""A radiator valve, an air conditioner, a humidifier, an air purifier and a fan on MQTT, as in Home Assistant's documentation.

Run as `mqtt_climate.py PORT`. They announce themselves, and print each command as a line of JSON. Lines of JSON on the standard
input are messages of the devices: `{"valve/mode": "off"}`.
"""

import json
import sys

from paho.mqtt import client as mqtt

ANNOUNCEMENTS = {
    "climate/bath": {
        "unique_id": "bath", "name": "Bath", "modes": ["off", "heat"], "mode_state_topic": "valve/mode",
        "mode_command_topic": "valve/mode/set", "temperature_state_topic": "valve/target",
        "temperature_command_topic": "valve/target/set", "current_temperature_topic": "valve/current", "min_temp": 5,
        "max_temp": 30, "temp_step": 0.5, "action_topic": "valve/action"},
    "climate/loft": {
        "unique_id": "loft", "name": "Loft", "modes": ["off", "heat", "cool", "heat_cool", "dry", "fan_only"],
        "mode_state_topic": "ac/mode", "mode_command_topic": "ac/mode/set", "temperature_unit": "F", "min_temp": 60,
        "max_temp": 86, "temp_step": 1, "current_temperature_topic": "ac/current",
        "temperature_low_state_topic": "ac/low", "temperature_low_command_topic": "ac/low/set",
        "temperature_high_state_topic": "ac/high", "temperature_high_command_topic": "ac/high/set",
        "fan_modes": ["auto", "low", "medium", "high"], "fan_mode_state_topic": "ac/fan", "fan_mode_command_topic": "ac/fan/set",
        "swing_modes": ["on", "off"], "swing_mode_state_topic": "ac/swing", "swing_mode_command_topic": "ac/swing/set"},
    "humidifier/mist": {
        "unique_id": "mist", "name": "Mist", "command_topic": "mist/power/set", "state_topic": "mist/power",
        "target_humidity_command_topic": "mist/target/set", "target_humidity_state_topic": "mist/target",
        "current_humidity_topic": "mist/current", "min_humidity": 40, "max_humidity": 80},
    "fan/breeze": {
        "unique_id": "breeze", "name": "Breeze", "command_topic": "fan/power/set", "state_topic": "fan/power",
        "pct_cmd_t": "fan/speed/set", "pct_stat_t": "fan/speed", "pr_mode_cmd_t": "fan/preset/set",
        "pr_mode_stat_t": "fan/preset", "pr_modes": ["auto", "sleep", "nature"]},
}
BEGINNING = {
    "valve/mode": "heat", "valve/target": 21, "valve/current": 19.5, "valve/action": "heating", "ac/mode": "heat_cool",
    "ac/current": 73, "ac/low": 68, "ac/high": 77, "ac/fan": "auto", "ac/swing": "off",
    "mist/power": "ON", "mist/target": 50, "mist/current": 45,
    "air/power": "ON", "air/speed": 40, "air/mode": "auto", "air/filter": 75,
    "fan/power": "ON", "fan/speed": 40, "fan/preset": "None",
}


def publish(messages):
    for topic, value in messages.items():
        client.publish(topic, value, retain=True)


def commanded(_client, _data, message):
    topic, text = message.topic.removesuffix("/set"), message.payload.decode()
    print(json.dumps({topic: text}), flush=True)
    # As Home Assistant expects, a speed ends a fan's preset.
    publish({topic: text} | ({"fan/preset": "None"} if topic == "fan/speed" else {}))


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.on_message = commanded
client.connect("127.0.0.1", int(sys.argv[1]))
for topic in BEGINNING:
    client.subscribe(f"{topic}/set")
client.loop_start()
publish(BEGINNING)
for topic, announcement in ANNOUNCEMENTS.items():
    client.publish(f"homeassistant/{topic}/config", json.dumps(announcement), retain=True)
for line in sys.stdin:
    publish(json.loads(line))
