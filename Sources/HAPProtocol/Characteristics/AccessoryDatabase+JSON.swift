package import BoundedJSON
package import HAPModel

extension JSONWriter {
    /// Appends an accessory object of the attribute database (HAP 9.1).
    ///
    /// If `values` is `false`, the object contains no values except names; `c#` is derived from this form.
    package mutating func accessory(_ accessory: AccessoryObject, values: Bool = true) {
        raw("{\"aid\":")
        integer(accessory.aid.rawValue)
        raw(",\"services\":[")
        for (index, service) in accessory.services.enumerated() {
            if index > 0 { raw(",") }
            self.service(service, values: values)
        }
        raw("]}")
    }

    private mutating func service(_ service: ServiceObject, values: Bool) {
        raw("{\"iid\":")
        integer(service.iid.rawValue)
        raw(",\"type\":")
        string(service.type.description)
        if service.isPrimary { raw(",\"primary\":true") }
        if service.isHidden { raw(",\"hidden\":true") }
        if !service.linked.isEmpty {
            raw(",\"linked\":[")
            for (index, iid) in service.linked.enumerated() {
                if index > 0 { raw(",") }
                integer(iid.rawValue)
            }
            raw("]")
        }
        raw(",\"characteristics\":[")
        for (index, characteristic) in service.characteristics.enumerated() {
            if index > 0 { raw(",") }
            raw("{\"iid\":")
            integer(characteristic.iid.rawValue)
            raw(",\"type\":")
            string(characteristic.type.description)
            characteristic.metadata.appendPermissions(to: &self)
            characteristic.metadata.appendMetadata(to: &self)
            if let description = characteristic.manufacturerDescription {
                raw(",\"description\":")
                string(description)
            }
            if values || characteristic.type == .name, let value = characteristic.value {
                raw(",\"value\":")
                if characteristic.type.isMomentary { raw("null") } else { characteristicValue(value) }
            } else if values, EveReading(characteristic.type) != nil {
                raw(",\"value\":null")
            }
            raw("}")
        }
        raw("]}")
    }
}
