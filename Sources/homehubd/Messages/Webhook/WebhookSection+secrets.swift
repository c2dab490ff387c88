import SystemKit

extension WebhookSection {
    /// Returns the URL, which is read from its file if the section names one.
    func readURL() throws(WebhookFailure) -> WebhookURL {
        switch address {
        case .url(let url): return url
        case .file(let path):
            let text = try read(path, key: "notify-webhook.url-file", of: "URL")
            do throws(WebhookURL.Problem) {
                return try WebhookURL(text)
            } catch {
                throw WebhookFailure(
                    reason: "notify-webhook.url-file \(path): \(error.problem)", isTemporary: false)
            }
        }
    }

    /// Returns the header field with the token, or `nil` if there is no token.
    func readAuthorization() throws(WebhookFailure) -> (name: String, value: String)? {
        guard let tokenFile else { return nil }
        let token = try read(tokenFile, key: "notify-webhook.token-file", of: "token")
        guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw WebhookFailure(
                reason: "notify-webhook.token-file \(tokenFile) has characters other than ASCII; correct the token",
                isTemporary: false)
        }
        return tokenHeader.map { ($0, token) } ?? ("Authorization", "Bearer \(token)")
    }

    private func read(_ path: String, key: String, of secret: String) throws(WebhookFailure) -> String {
        do throws(SecretFile.Problem) {
            return try SecretFile(path, key: key, of: secret).read()
        } catch {
            throw WebhookFailure(reason: error.text, isTemporary: false)
        }
    }
}
