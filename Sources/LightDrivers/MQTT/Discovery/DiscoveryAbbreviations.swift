/// The short forms of the keys in discovery messages that the supported components use, with their long forms.
enum DiscoveryAbbreviations {
    static let keys: [String: String] = {
        var keys = [
            "avty": "availability", "avty_t": "availability_topic", "avty_mode": "availability_mode",
            "avty_tpl": "availability_template", "pl_avail": "payload_available",
            "pl_not_avail": "payload_not_available", "uniq_id": "unique_id", "cmd_t": "command_topic",
            "stat_t": "state_topic", "pl_on": "payload_on", "pl_off": "payload_off", "stat_on": "state_on",
            "stat_off": "state_off", "val_tpl": "value_template", "cmd_tpl": "command_template",
            "bri_cmd_t": "brightness_command_topic", "bri_stat_t": "brightness_state_topic",
            "bri_scl": "brightness_scale", "bri_val_tpl": "brightness_value_template",
            "bri_cmd_tpl": "brightness_command_template", "bri_tpl": "brightness_template", "clrm": "color_mode",
            "clrm_stat_t": "color_mode_state_topic", "clrm_val_tpl": "color_mode_value_template",
            "sup_clrm": "supported_color_modes", "clr_temp_cmd_t": "color_temp_command_topic",
            "clr_temp_stat_t": "color_temp_state_topic", "clr_temp_cmd_tpl": "color_temp_command_template",
            "clr_temp_val_tpl": "color_temp_value_template", "clr_temp_tpl": "color_temp_template",
            "clr_temp_k": "color_temp_kelvin", "min_mirs": "min_mireds", "max_mirs": "max_mireds",
            "min_k": "min_kelvin", "max_k": "max_kelvin", "whit_cmd_t": "white_command_topic",
            "whit_scl": "white_scale", "fx_list": "effect_list", "fx_cmd_t": "effect_command_topic",
            "fx_stat_t": "effect_state_topic", "stat_val_tpl": "state_value_template", "stat_tpl": "state_template",
            "cmd_on_tpl": "command_on_template", "cmd_off_tpl": "command_off_template", "r_tpl": "red_template",
            "g_tpl": "green_template", "b_tpl": "blue_template", "on_cmd_type": "on_command_type",
            "opt": "optimistic", "ret": "retain", "dev": "device", "dev_cla": "device_class", "o": "origin",
            "cmps": "components", "p": "platform", "ent_cat": "entity_category", "en": "enabled_by_default",
            "migr_discvry": "migrate_discovery", "unit_of_meas": "unit_of_measurement", "exp_aft": "expire_after",
            "off_dly": "off_delay", "spd_rng_min": "speed_range_min", "spd_rng_max": "speed_range_max",
            "pl_rst_pct": "payload_reset_percentage", "pl_osc_on": "payload_oscillation_on",
            "pl_osc_off": "payload_oscillation_off", "e": "encoding", "obj_id": "object_id",
            "def_ent_id": "default_entity_id",
        ]
        for form in ["hs", "xy", "rgb", "rgbw", "rgbww"] {
            keys["\(form)_cmd_t"] = "\(form)_command_topic"
            keys["\(form)_stat_t"] = "\(form)_state_topic"
            keys["\(form)_cmd_tpl"] = "\(form)_command_template"
            keys["\(form)_val_tpl"] = "\(form)_value_template"
        }
        for (short, long) in [("pct", "percentage"), ("dir", "direction"), ("osc", "oscillation")] {
            keys["\(short)_cmd_t"] = "\(long)_command_topic"
            keys["\(short)_stat_t"] = "\(long)_state_topic"
            keys["\(short)_cmd_tpl"] = "\(long)_command_template"
            keys["\(short)_val_tpl"] = "\(long)_value_template"
        }
        return MQTTComponents.all.reduce(into: keys) { $0.merge($1.abbreviations) { first, _ in first } }
    }()

    static let deviceKeys = [
        "ids": "identifiers", "cns": "connections", "mf": "manufacturer", "mdl": "model", "mdl_id": "model_id",
        "sn": "serial_number", "sw": "sw_version", "hw": "hw_version", "sa": "suggested_area",
        "cu": "configuration_url",
    ]

    /// The short keys in an availability list.
    static let availabilityKeys = [
        "t": "topic", "pl_avail": "payload_available", "pl_not_avail": "payload_not_available",
        "val_tpl": "value_template",
    ]
}
