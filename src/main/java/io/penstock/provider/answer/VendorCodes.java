package io.penstock.provider.answer;

/** The statuses that the numbers of providers stand for which state errors by numbers. */
final class VendorCodes {
  private VendorCodes() {}

  /** Returns the status of a code in {@code base_resp}. Source: MiniMax's page "Error Codes". */
  static int miniMax(String code) {
    return switch (code) {
      case "1002", "1039", "1041", "2045", "2056" -> 429;
      case "1008" -> 402;
      case "1004", "2049" -> 401;
      case "1026", "1027", "1042", "2013", "20132", "2037" -> 400;
      case "1001" -> 504;
      default -> ErrorStatus.UNKNOWN;
    };
  }
}
