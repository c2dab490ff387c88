extension ServiceType {
    /// The name in Apple's catalog as words, such as `Air Purifier`; for other types, the UUID.
    package var catalogName: String {
        ServiceDefinition.all.first { $0.type == self }?.name.catalogueWords ?? description
    }
}

extension CharacteristicType {
    /// The name in Apple's catalog as words, such as `Current Temperature`; for other types, the UUID.
    package var catalogName: String { CharacteristicDefinition.of(self)?.name.catalogueWords ?? description }
}

extension String {
    /// A name in the catalog, split into words: `Garage Door Opener` for `GarageDoorOpener`, and
    /// `Camera RTP Stream Management` for `CameraRTPStreamManagement`.
    package var catalogueWords: String {
        let letters = Array(self)
        var words = ""
        for (index, letter) in letters.enumerated() {
            let follows = index > 0 ? letters[index - 1] : nil
            let next = index + 1 < letters.count ? letters[index + 1] : nil
            if let follows, letter.isUppercase,
                follows.isLowercase || follows.isNumber || follows.isUppercase && next?.isLowercase == true
            {
                words.append(" ")
            }
            words.append(letter == "_" ? " " : letter)
        }
        return words.replacing("Wi Fi", with: "Wi-Fi")
    }
}
