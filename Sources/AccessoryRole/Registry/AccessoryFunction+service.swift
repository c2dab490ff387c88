package import HAPModel

extension [AccessoryFunction] {
    /// Returns the services of one accessory, with their links.
    ///
    /// The first service is primary unless a function is marked as primary.
    ///
    /// - Throws: ``ComplianceError`` for a characteristic that has neither a catalog entry nor a description, or for a
    ///   link that matches no function or several functions.
    package func services(_ ids: inout InstanceIDs) throws(ComplianceError) -> [ServiceObject] {
        var services: [ServiceObject] = []
        for function in self { services.append(try function.service(&ids)) }
        if !services.isEmpty, !contains(where: \.isPrimary) { services[0].isPrimary = true }
        for (index, function) in enumerated() {
            for link in function.linked {
                let targets = indices.filter { self[$0].id == link }
                guard targets.count == 1 else {
                    throw ComplianceError(
                        targets.isEmpty
                            ? "a function is linked to \(link), but no function has that id"
                            : "a function is linked to \(link), but several functions have that id")
                }
                services[index].linked.append(services[targets[0]].iid)
            }
        }
        return services
    }
}

extension AccessoryFunction {
    fileprivate func service(_ ids: inout InstanceIDs) throws(ComplianceError) -> ServiceObject {
        let iid = ids.id(of: type, id)
        var characteristics: [CharacteristicObject] = []
        for part in parts {
            guard let metadata = part.metadata else {
                throw ComplianceError("characteristic \(part.type) isn't in the catalog; add it with its metadata")
            }
            let isReadable = metadata.permissions.contains(.pairedRead)
            characteristics.append(
                CharacteristicObject(
                    iid: ids.id(of: part.type, in: type, id), type: part.type, metadata: metadata,
                    value: isReadable ? part.value : nil, manufacturerDescription: part.manufacturerDescription))
        }
        return ServiceObject(
            iid: iid, type: type, isPrimary: isPrimary, isHidden: isHidden, characteristics: characteristics)
    }
}
