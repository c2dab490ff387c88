/// The part of the program that an accessory represents.
enum AccessoryDevice {
    case source(any AccessorySource)
    case handler(HandlerCalls)
}
