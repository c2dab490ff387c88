import BoundedJSON
import DeviceKit
import Testing

@testable import LightDrivers

/// Compares the driver's abbreviations with the table that Home Assistant publishes, for the keys of lights, switches,
/// fans, sensors, covers, thermostats, humidifiers, events, triggers, locks, alarm panels, devices and availability.
///
/// https://www.home-assistant.io/integrations/mqtt/#supported-abbreviations-in-mqtt-discovery-messages
@Suite("The parser of abbreviated announcement keys")
struct DiscoveryAbbreviationTests {
    static let keys = [
        "pl_rst_hum": "payload_reset_humidity", "pl_rst_pr_mode": "payload_reset_preset_mode",
        "pr_mode_cmd_t": "preset_mode_command_topic", "pr_mode_cmd_tpl": "preset_mode_command_template",
        "pr_mode_stat_t": "preset_mode_state_topic", "pr_mode_val_tpl": "preset_mode_value_template",
        "pr_modes": "preset_modes",
        "act_t": "action_topic", "act_tpl": "action_template", "curr_hum_t": "current_humidity_topic",
        "curr_hum_tpl": "current_humidity_template", "curr_temp_t": "current_temperature_topic",
        "curr_temp_tpl": "current_temperature_template", "hum_cmd_t": "target_humidity_command_topic",
        "hum_cmd_tpl": "target_humidity_command_template", "hum_stat_t": "target_humidity_state_topic",
        "hum_state_tpl": "target_humidity_state_template", "init": "initial", "max_hum": "max_humidity",
        "min_hum": "min_humidity", "mode_cmd_t": "mode_command_topic", "mode_cmd_tpl": "mode_command_template",
        "mode_stat_t": "mode_state_topic", "mode_stat_tpl": "mode_state_template",
        "fan_mode_cmd_t": "fan_mode_command_topic", "fan_mode_cmd_tpl": "fan_mode_command_template",
        "fan_mode_stat_t": "fan_mode_state_topic", "fan_mode_stat_tpl": "fan_mode_state_template",
        "swing_mode_cmd_t": "swing_mode_command_topic", "swing_mode_cmd_tpl": "swing_mode_command_template",
        "swing_mode_stat_t": "swing_mode_state_topic", "swing_mode_stat_tpl": "swing_mode_state_template",
        "pow_cmd_t": "power_command_topic", "pow_cmd_tpl": "power_command_template",
        "temp_cmd_t": "temperature_command_topic", "temp_cmd_tpl": "temperature_command_template",
        "temp_hi_cmd_t": "temperature_high_command_topic", "temp_hi_cmd_tpl": "temperature_high_command_template",
        "temp_hi_stat_t": "temperature_high_state_topic", "temp_hi_stat_tpl": "temperature_high_state_template",
        "temp_lo_cmd_t": "temperature_low_command_topic", "temp_lo_cmd_tpl": "temperature_low_command_template",
        "temp_lo_stat_t": "temperature_low_state_topic", "temp_lo_stat_tpl": "temperature_low_state_template",
        "temp_stat_t": "temperature_state_topic", "temp_stat_tpl": "temperature_state_template",
        "temp_unit": "temperature_unit",
        "pl_cls": "payload_close", "pl_open": "payload_open", "pl_stop": "payload_stop", "pos": "reports_position",
        "pos_clsd": "position_closed",
        "pos_open": "position_open", "pos_t": "position_topic", "pos_tpl": "position_template",
        "set_pos_t": "set_position_topic", "set_pos_tpl": "set_position_template", "stat_clsd": "state_closed",
        "stat_closing": "state_closing", "stat_open": "state_open", "stat_opening": "state_opening",
        "stat_stopped": "state_stopped", "tilt_cmd_t": "tilt_command_topic", "tilt_cmd_tpl": "tilt_command_template",
        "tilt_opt": "tilt_optimistic", "tilt_status_t": "tilt_status_topic",
        "tilt_status_tpl": "tilt_status_template",
        "cod_arm_req": "code_arm_required", "cod_dis_req": "code_disarm_required",
        "cod_trig_req": "code_trigger_required", "pl_arm_away": "payload_arm_away",
        "pl_arm_custom_b": "payload_arm_custom_bypass", "pl_arm_home": "payload_arm_home",
        "pl_arm_nite": "payload_arm_night", "pl_arm_vacation": "payload_arm_vacation", "pl_disarm": "payload_disarm",
        "pl_trig": "payload_trigger", "sup_feat": "supported_features",
        "cod_form": "code_format", "pl_lock": "payload_lock", "pl_rst": "payload_reset", "pl_unlk": "payload_unlock",
        "stat_jam": "state_jammed", "stat_locked": "state_locked", "stat_locking": "state_locking",
        "stat_unlocked": "state_unlocked", "stat_unlocking": "state_unlocking",
        "ops": "options", "pl_prs": "payload_press",
        "atype": "automation_type", "evt_typ": "event_types", "pl": "payload", "stype": "subtype", "t": "topic",
        "def_ent_id": "default_entity_id", "e": "encoding", "obj_id": "object_id",
        "dir_cmd_t": "direction_command_topic", "dir_cmd_tpl": "direction_command_template",
        "dir_stat_t": "direction_state_topic", "dir_val_tpl": "direction_value_template", "exp_aft": "expire_after",
        "off_dly": "off_delay", "osc_cmd_t": "oscillation_command_topic",
        "osc_cmd_tpl": "oscillation_command_template", "osc_stat_t": "oscillation_state_topic",
        "osc_val_tpl": "oscillation_value_template", "pct_cmd_t": "percentage_command_topic",
        "pct_cmd_tpl": "percentage_command_template", "pct_stat_t": "percentage_state_topic",
        "pct_val_tpl": "percentage_value_template", "pl_osc_off": "payload_oscillation_off",
        "pl_osc_on": "payload_oscillation_on", "pl_rst_pct": "payload_reset_percentage",
        "spd_rng_max": "speed_range_max", "spd_rng_min": "speed_range_min", "unit_of_meas": "unit_of_measurement",
        "avty": "availability", "avty_mode": "availability_mode", "avty_t": "availability_topic",
        "avty_tpl": "availability_template", "b_tpl": "blue_template", "bri_cmd_t": "brightness_command_topic",
        "bri_cmd_tpl": "brightness_command_template", "bri_scl": "brightness_scale",
        "bri_stat_t": "brightness_state_topic", "bri_tpl": "brightness_template",
        "bri_val_tpl": "brightness_value_template", "clr_temp_cmd_t": "color_temp_command_topic",
        "clr_temp_cmd_tpl": "color_temp_command_template", "clr_temp_k": "color_temp_kelvin",
        "clr_temp_stat_t": "color_temp_state_topic", "clr_temp_tpl": "color_temp_template",
        "clr_temp_val_tpl": "color_temp_value_template", "clrm": "color_mode", "clrm_stat_t": "color_mode_state_topic",
        "clrm_val_tpl": "color_mode_value_template", "cmd_off_tpl": "command_off_template",
        "cmd_on_tpl": "command_on_template", "cmd_t": "command_topic", "cmd_tpl": "command_template",
        "cmps": "components", "dev": "device", "dev_cla": "device_class", "en": "enabled_by_default",
        "ent_cat": "entity_category", "fx_cmd_t": "effect_command_topic", "fx_list": "effect_list",
        "fx_stat_t": "effect_state_topic", "g_tpl": "green_template", "hs_cmd_t": "hs_command_topic",
        "hs_cmd_tpl": "hs_command_template", "hs_stat_t": "hs_state_topic", "hs_val_tpl": "hs_value_template",
        "max_k": "max_kelvin", "max_mirs": "max_mireds", "migr_discvry": "migrate_discovery", "min_k": "min_kelvin",
        "min_mirs": "min_mireds", "o": "origin", "on_cmd_type": "on_command_type", "opt": "optimistic",
        "p": "platform", "pl_avail": "payload_available", "pl_not_avail": "payload_not_available",
        "pl_off": "payload_off", "pl_on": "payload_on", "r_tpl": "red_template", "ret": "retain",
        "rgb_cmd_t": "rgb_command_topic", "rgb_cmd_tpl": "rgb_command_template", "rgb_stat_t": "rgb_state_topic",
        "rgb_val_tpl": "rgb_value_template", "rgbw_cmd_t": "rgbw_command_topic",
        "rgbw_cmd_tpl": "rgbw_command_template", "rgbw_stat_t": "rgbw_state_topic",
        "rgbw_val_tpl": "rgbw_value_template", "rgbww_cmd_t": "rgbww_command_topic",
        "rgbww_cmd_tpl": "rgbww_command_template", "rgbww_stat_t": "rgbww_state_topic",
        "rgbww_val_tpl": "rgbww_value_template", "stat_off": "state_off", "stat_on": "state_on",
        "stat_t": "state_topic", "stat_tpl": "state_template", "stat_val_tpl": "state_value_template",
        "sup_clrm": "supported_color_modes", "uniq_id": "unique_id", "val_tpl": "value_template",
        "whit_cmd_t": "white_command_topic", "whit_scl": "white_scale", "xy_cmd_t": "xy_command_topic",
        "xy_cmd_tpl": "xy_command_template", "xy_stat_t": "xy_state_topic", "xy_val_tpl": "xy_value_template",
    ]

    static let deviceKeys = [
        "cns": "connections", "cu": "configuration_url", "hw": "hw_version", "ids": "identifiers", "mdl": "model",
        "mdl_id": "model_id", "mf": "manufacturer", "sa": "suggested_area", "sn": "serial_number",
        "sw": "sw_version",
    ]

    static let availabilityKeys = [
        "pl_avail": "payload_available", "pl_not_avail": "payload_not_available", "t": "topic",
        "val_tpl": "value_template",
    ]

    /// Returns the expanded keys of an announcement.
    static func read(_ announcement: String) throws -> JSONObject {
        guard case .single(let keys) = try DiscoveryPayload(Array(announcement.utf8), isDevice: false) else {
            return [:]
        }
        return keys
    }

    @Test("reads each abbreviated key of an announcement", arguments: keys.sorted { $0.key < $1.key })
    func key(short: String, long: String) throws {
        let value = "\"\(short)\""
        let read = try Self.read("{\"\(short)\": \(value)}")
        #expect(read.members.map(\.name) == [long])
        let text = (read[long]?.array?.first ?? read[long])?.string
        #expect(text == short)
    }

    @Test("reads each abbreviated key of a device", arguments: deviceKeys.sorted { $0.key < $1.key })
    func deviceKey(short: String, long: String) throws {
        for device in ["dev", "device"] {
            let read = try Self.read("{\"\(device)\": {\"\(short)\": \"x\"}}")
            #expect(read["device"]?.object?.members.map(\.name) == [long])
        }
    }

    @Test(
        "reads each abbreviated key of an availability entry", arguments: availabilityKeys.sorted { $0.key < $1.key })
    func availabilityKey(short: String, long: String) throws {
        for entries in ["[{\"t\": \"a\"}, {\"\(short)\": \"x\"}]", "{\"\(short)\": \"x\"}"] {
            let read = try Self.read("{\"avty\": \(entries)}")
            #expect(read["availability"]?.array?.last?.object?.members.map(\.name) == [long])
        }
    }

    @Test("knows no other abbreviations")
    func complete() {
        #expect(DiscoveryAbbreviations.keys == Self.keys)
        #expect(DiscoveryAbbreviations.deviceKeys == Self.deviceKeys)
        #expect(DiscoveryAbbreviations.availabilityKeys == Self.availabilityKeys)
    }

    @Test("reads an abbreviated device class")
    func outlet() throws {
        let keys = try Self.read(#"{"cmd_t": "a", "dev_cla": "outlet"}"#)
        #expect(try MQTTLightSettings(keys, isSwitch: true).kind == .outlet)
    }
}
