/// The implementation of an accessory: a source with one status per request, or a handler with a result per value.
enum AccessoryDevice {
    case source(any AccessorySource)
    case handler(HandlerCalls)
}
