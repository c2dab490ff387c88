"""An integration that runs the steps of a test in Home Assistant. It reads them from standard input and prints the results.

Each line is a JSON object with one member: the name of the step and its argument. The result is one line.
"""

import asyncio
import importlib
import json
import logging
import sys

from homeassistant.helpers import device_registry, trigger

DOMAIN = "hass_driver"
MARK = "hass_driver: "


async def async_setup(hass, config):
    hass.async_create_background_task(run(hass), DOMAIN)
    return True


async def run(hass):
    steps = {
        "pair": pair, "level": turn_on, "mqtt": add_broker, "states": states, "call": call, "triggers": attach, "pressed": pressed,
        "code": setup_code}
    while line := await hass.async_add_executor_job(sys.stdin.readline):
        (step, given), = json.loads(line).items()
        try:
            answer = await steps[step](hass, given)
        except Exception as error:
            answer = {"error": repr(error)}
        print(MARK + json.dumps(answer, default=str), flush=True)


async def pair(hass, code):
    """Pair with the only bridge on the network, with the steps of homekit_controller's dialog."""
    flow = hass.config_entries.flow
    while (step := await flow.async_init("homekit_controller", context={"source": "user"}))["type"] == "abort":
        await asyncio.sleep(0.5)
    device = next(iter(next(iter(step["data_schema"].schema.values())).container))
    step = await flow.async_configure(step["flow_id"], {"device": device})
    step = await flow.async_configure(step["flow_id"], {"pairing_code": code})
    domains = ["light", "switch", "cover", "lock", "climate", "humidifier", "fan"]
    while not hass.states.async_entity_ids(domains) or not is_subscribed(hass):
        await asyncio.sleep(0.1)
    return {"paired": step.get("title"), "lights": hass.states.async_entity_ids("light")}


def is_subscribed(hass):
    """Return whether Home Assistant has subscribed, which it does a moment after it shows the light."""
    return any(device.pairing.subscriptions for device in hass.data.get("homekit_controller-devices", {}).values())


async def turn_on(hass, brightness):
    """Switch on a light that is off, with a brightness from 1 to 255."""
    light = {"entity_id": hass.states.async_entity_ids("light")[0]}
    await hass.services.async_call("light", "turn_off", light, blocking=True)
    await hass.services.async_call("light", "turn_on", light | {"brightness": brightness}, blocking=True)
    # The bridge reports the outcome of a write shortly after the response.
    await asyncio.sleep(1)
    shown = hass.states.get(light["entity_id"])
    return {"brightness": brightness, "state": shown.state, "shown": shown.attributes.get("brightness")}


async def add_broker(hass, port):
    """Connect to the broker, with the steps of mqtt's dialog."""
    flow = hass.config_entries.flow
    step = await flow.async_init("mqtt", context={"source": "user"})
    step = await flow.async_configure(step["flow_id"], {"broker": "127.0.0.1", "port": port})
    await hass.async_block_till_done()
    return {"added": step["type"]}


async def setup_code(hass, _):
    """Return the setup code of the HomeKit bridge once it runs."""
    homekit = importlib.import_module("homeassistant.components.homekit")
    while True:
        for entry in hass.config_entries.async_loaded_entries("homekit"):
            driver = entry.runtime_data.homekit.driver
            if driver and entry.runtime_data.homekit.status == homekit.STATUS_RUNNING:
                return driver.state.pincode.decode()
        await asyncio.sleep(0.2)


async def states(hass, domain):
    """Return the entities of a domain, with their states and attributes."""
    return [[state.entity_id, state.state, dict(state.attributes)] for state in hass.states.async_all(domain)]


async def call(hass, given):
    """Call a service: its domain, its name and its data."""
    domain, service, data = given
    await hass.services.async_call(domain, service, data, blocking=True)
    return {}


PRESSED = []


async def attach(hass, given):
    """Attach to the triggers of an integration for the device with this name, and return their types and subtypes."""
    integration, name = given
    found = [device for device in device_registry.async_get(hass).devices.values() if device.name == name]
    module = importlib.import_module(f"homeassistant.components.{integration}.device_trigger")
    triggers = [one for device in found for one in await module.async_get_triggers(hass, device.id)]
    names = {str(number): [one["type"], one["subtype"]] for number, one in enumerate(triggers)}

    async def action(variables, context=None):
        PRESSED.append(names[variables["trigger"]["idx"]])

    checked = await trigger.async_validate_trigger_config(hass, triggers)
    await trigger.async_initialize_triggers(hass, checked, action, DOMAIN, DOMAIN, logging.getLogger(DOMAIN).log)
    return list(names.values())


async def pressed(hass, _):
    """Return the types and subtypes of the triggers that fired since the last call."""
    await hass.async_block_till_done()
    answer = PRESSED[:]
    PRESSED.clear()
    return answer
