/** What a counter of a port tells when it grows. */
export type CounterKind = 'link' | 'remote-link' | 'loss' | 'order' | 'congestion' | 'pause' | 'receiver' | 'traffic';

/** One counter under the name that the kernel gives it, and its other names. */
export interface CounterRow {
  readonly name: string;
  readonly kind: CounterKind;
  /** perfquery, older ethtool, node_exporter, mlxlink; lower case without blanks. */
  readonly others: readonly string[];
}

/**
 * Counters that speak of the fabric. Meanings: NVIDIA's "Understanding mlx5 Linux counters and status parameters" and
 * the kernel's Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst; the names of node_exporter
 * from its infiniband collector. `port_xmit_wait` counts ticks in which there was data and no room to send it; how
 * long a tick is, the vendor does not say for every generation.
 */
export const counterRows: readonly CounterRow[] = [
  {
    name: 'symbol_error',
    kind: 'link',
    others: ['symbolerrorcounter', 'symbolerrors', 'symbol_error_total', 'symbol_error_counter'],
  },
  {
    name: 'link_error_recovery',
    kind: 'link',
    others: ['linkerrorrecoverycounter', 'linkrecovers', 'link_error_recovery_total'],
  },
  {
    name: 'link_downed',
    kind: 'link',
    others: ['linkdownedcounter', 'linkdowned', 'link_downed_total', 'linkdowncounter', 'link_down_events_phy'],
  },
  { name: 'port_rcv_errors', kind: 'link', others: ['portrcverrors', 'rcverrors', 'port_errors_received_total'] },
  {
    name: 'local_link_integrity_errors',
    kind: 'link',
    others: ['locallinkintegrityerrors', 'local_link_integrity_errors_total'],
  },
  { name: 'rx_crc_errors_phy', kind: 'link', others: ['rx_crc_errors'] },
  { name: 'rx_symbol_err_phy', kind: 'link', others: ['rx_symbol_errors_phy'] },
  { name: 'effective_physical_errors', kind: 'link', others: ['effectivephysicalerrors'] },
  {
    name: 'port_rcv_remote_physical_errors',
    kind: 'remote-link',
    others: ['portrcvremotephysicalerrors', 'port_receive_remote_physical_errors_total'],
  },
  {
    name: 'excessive_buffer_overrun_errors',
    kind: 'link',
    others: ['excessivebufferoverrunerrors', 'excessive_buffer_overrun_errors_total'],
  },
  {
    name: 'port_xmit_discards',
    kind: 'loss',
    others: ['portxmitdiscards', 'xmitdiscards', 'port_discards_transmitted_total'],
  },
  { name: 'packet_seq_err', kind: 'loss', others: ['packet_sequence_errors_total', 'packet_seq_err_total'] },
  {
    name: 'local_ack_timeout_err',
    kind: 'loss',
    others: ['local_ack_timeout_errors_total', 'local_ack_timeout_err_total'],
  },
  { name: 'implied_nak_seq_err', kind: 'loss', others: ['implied_nak_seq_errors_total'] },
  { name: 'roce_adp_retrans', kind: 'loss', others: ['roce_adp_retransmits_total'] },
  { name: 'roce_adp_retrans_to', kind: 'loss', others: ['roce_adp_retransmits_timeout_total'] },
  { name: 'roce_slow_restart', kind: 'loss', others: ['roce_slow_restart_total'] },
  { name: 'req_transport_retries_exceeded', kind: 'loss', others: [] },
  { name: 'rx_discards_phy', kind: 'loss', others: [] },
  { name: 'tx_discards_phy', kind: 'loss', others: [] },
  { name: 'rx_prio_discards', kind: 'loss', others: [] },
  { name: 'out_of_sequence', kind: 'order', others: ['out_of_sequence_packets_received_total'] },
  { name: 'duplicate_request', kind: 'order', others: ['duplicate_requests_packets_total'] },
  { name: 'port_xmit_wait', kind: 'congestion', others: ['portxmitwait', 'xmitwait', 'port_transmit_wait_total'] },
  { name: 'np_cnp_sent', kind: 'congestion', others: ['np_cnp_sent_total'] },
  { name: 'rp_cnp_handled', kind: 'congestion', others: ['rp_cnp_handled_total'] },
  { name: 'np_ecn_marked_roce_packets', kind: 'congestion', others: [] },
  { name: 'rx_ecn_mark', kind: 'congestion', others: [] },
  { name: 'rx_prio_pause', kind: 'pause', others: ['rx_pause_ctrl_phy', 'rx_global_pause'] },
  { name: 'rx_prio_pause_duration', kind: 'pause', others: ['rx_global_pause_duration'] },
  { name: 'rnr_nak_retry_err', kind: 'receiver', others: ['rnr_nak_retry_packets_total'] },
  { name: 'out_of_buffer', kind: 'receiver', others: ['rx_out_of_buffer', 'out_of_buffer_drops_total'] },
  {
    name: 'port_xmit_data',
    kind: 'traffic',
    others: ['portxmitdata', 'xmitdata', 'port_data_transmitted_bytes_total'],
  },
  { name: 'port_rcv_data', kind: 'traffic', others: ['portrcvdata', 'rcvdata', 'port_data_received_bytes_total'] },
];
