@_exported import OperatorControl

package typealias BridgeControlError = OperatorError
package typealias BridgeMessage = OperatorMessage
