package import HAPModel

extension AccessoryFunction {
    /// Makes the service.
    ///
    /// - Throws: ``ComplianceError`` for a characteristic that the catalogue lacks and nothing describes.
    package func service(isPrimary: Bool, _ ids: inout InstanceIDs) throws(ComplianceError) -> Service {
        let iid = ids.id(of: type, id)
        var characteristics: [Characteristic] = []
        for part in parts {
            guard let metadata = part.metadata else {
                throw ComplianceError("characteristic \(part.type) is not of the catalogue; describe it by adding it")
            }
            let isReadable = metadata.permissions.contains(.pairedRead)
            characteristics.append(
                Characteristic(
                    iid: ids.id(of: part.type, in: type, id), type: part.type, metadata: metadata,
                    value: isReadable ? part.value : nil, manufacturerDescription: part.manufacturerDescription))
        }
        return Service(iid: iid, type: type, isPrimary: isPrimary, characteristics: characteristics)
    }
}
