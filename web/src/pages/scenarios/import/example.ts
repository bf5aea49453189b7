/** Two scenarios to begin with, as a file has them. */
export const EXAMPLE = `scenarios:
- name: Late return
  description: A customer wants to return goods after the deadline.
  risk_level: high
  tags: [returns]
  user_instruction: Decide on this return. Answer with JSON that has a decision.
  input_context:
    order_id: ord_1
    days_since_delivery: 40
  expected_behavior:
    decision: refuse
- name: Small refund
  risk_level: low
  input_context:
    order_id: ord_2
    amount: 12
  expected_behavior:
    decision: {$in: [refund, voucher]}
    amount: {$lte: 12}
`;
