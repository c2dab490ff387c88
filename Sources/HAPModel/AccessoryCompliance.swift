/// An error in an accessory that would make a controller reject the whole bridge (HAP 9.5).
public struct ComplianceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The problem, in one sentence.
    public let description: String

    package init(_ description: String) { self.description = description }
}

extension AccessoryObject {
    /// The maximum number of services per accessory, and of characteristics per service (HAP 9.3).
    public static let maximumParts = 100

    /// Checks the accessory against the rules that controllers enforce during pairing.
    ///
    /// A single invalid accessory makes the whole bridge unusable.
    ///
    /// - Throws: ``ComplianceError`` for the first problem.
    public func checkCompliance() throws(ComplianceError) {
        guard aid.rawValue > 0 else { throw ComplianceError("the accessory id is 0") }
        guard services.count <= Self.maximumParts else {
            throw ComplianceError("accessory \(aid) has more than \(Self.maximumParts) services")
        }
        guard let information = services.first, information.type == .accessoryInformation,
            information.iid == .accessoryInformation
        else { throw ComplianceError("accessory \(aid) doesn't begin with Accessory Information at iid 1") }
        var seen: Set<InstanceID> = []
        for service in services {
            try service.checkCompliance(in: aid, seen: &seen)
        }
        guard services.count(where: \.isPrimary) <= 1 else {
            throw ComplianceError("accessory \(aid) has two primary services")
        }
        for service in services {
            for linked in service.linked where linked == service.iid || !services.contains(where: { $0.iid == linked })
            {
                let target = linked == service.iid ? "itself" : "\(linked), which isn't a service of the accessory"
                throw ComplianceError("\(service.name(in: aid)) is linked to \(target)")
            }
        }
    }
}

extension CharacteristicMetadata {
    /// A Boolean value that indicates whether the minimum doesn't exceed the maximum, and the step isn't negative.
    fileprivate var hasValidRange: Bool {
        let isOrdered = minimum.flatMap { minimum in maximum.map { minimum <= $0 } } ?? true
        return isOrdered && (step ?? 0) >= 0
    }
}

extension ServiceObject {
    /// Returns the service's iid and type for error messages, such as `service 10 (Air Purifier) of accessory 1`.
    fileprivate func name(in aid: AccessoryID) -> String { "service \(iid) (\(type.catalogName)) of accessory \(aid)" }

    fileprivate func checkCompliance(in aid: AccessoryID, seen: inout Set<InstanceID>) throws(ComplianceError) {
        guard iid.rawValue > 0, seen.insert(iid).inserted else {
            throw ComplianceError("iid \(iid) of accessory \(aid) is 0 or isn't unique")
        }
        guard characteristics.count <= AccessoryObject.maximumParts else {
            throw ComplianceError("\(name(in: aid)) has more than \(AccessoryObject.maximumParts) characteristics")
        }
        var types: Set<CharacteristicType> = []
        for characteristic in characteristics {
            guard characteristic.iid.rawValue > 0, seen.insert(characteristic.iid).inserted else {
                throw ComplianceError("iid \(characteristic.iid) of accessory \(aid) is 0 or isn't unique")
            }
            guard types.insert(characteristic.type).inserted else {
                throw ComplianceError(
                    "\(name(in: aid)) has the characteristic \(characteristic.type.catalogName) twice")
            }
            let name = "characteristic \(aid).\(characteristic.iid) (\(characteristic.type.catalogName))"
            let readable = characteristic.metadata.permissions.contains(.pairedRead)
            guard readable == (characteristic.value != nil) || (readable && EveReading(characteristic.type) != nil)
            else {
                throw ComplianceError("\(name) " + (readable ? "has no value" : "has a value but can't be read"))
            }
            guard characteristic.metadata.hasValidRange else {
                throw ComplianceError("\(name) has invalid limits or an invalid step")
            }
            if let value = characteristic.value, characteristic.metadata.clamped(value) != value {
                throw ComplianceError("\(name) has a value outside its format or limits")
            }
        }
        guard isHidden || characteristics.contains(where: { !$0.metadata.permissions.contains(.hidden) }) else {
            throw ComplianceError("\(name(in: aid)) isn't hidden, but all its characteristics are")
        }
        if let definition = ServiceDefinition.all.first(where: { $0.type == type }) {
            for required in definition.required where !types.contains(required) {
                throw ComplianceError("\(name(in: aid)) lacks the characteristic \(required.catalogName)")
            }
        }
        if type == .accessoryInformation {
            let minimumLengths: [(CharacteristicType, Int)] = [
                (.manufacturer, 1), (.model, 1), (.name, 1), (.serialNumber, 2), (.firmwareRevision, 1),
            ]
            for (type, length) in minimumLengths {
                let text = characteristics.first { $0.type == type }?.value?.string ?? ""
                guard text.utf8.count >= length else {
                    throw ComplianceError("the \(type.catalogName) of accessory \(aid) is shorter than \(length) bytes")
                }
            }
            let revision = characteristics.first { $0.type == .firmwareRevision }?.value?.string ?? ""
            guard FirmwareRevision.isValid(revision) else {
                throw ComplianceError("the firmware revision of accessory \(aid) isn't of the form 1.2.3")
            }
        }
    }
}
