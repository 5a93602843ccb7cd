"""The signatures of the official Python SDK: reads keys and cards as JSON from standard input, prints JSON.

Signs each card of `sign` by the private key, and says of each card of `verify` if a signature by the public key is valid.
"""

import json
import sys

import jwt
from a2a.types import AgentCard
from a2a.utils.signing import SignatureVerificationError, create_agent_card_signer, create_signature_verifier
from google.protobuf.json_format import MessageToDict, ParseDict

given = json.load(sys.stdin)
key = jwt.PyJWK(given['public'])
sign = create_agent_card_signer(given['private'], {'alg': given['alg'], 'kid': given['kid'], 'typ': 'JOSE', 'jku': None})
verify = create_signature_verifier(lambda kid, jku: key, [given['alg']])


def card(document: dict) -> AgentCard:
    return ParseDict(document, AgentCard(), ignore_unknown_fields=True)


def is_valid(document: dict) -> bool:
    try:
        verify(card(document))
        return True
    except SignatureVerificationError:
        return False


json.dump(
    {
        'signed': [MessageToDict(sign(card(one))) for one in given['sign']],
        'valid': [is_valid(one) for one in given['verify']],
    },
    sys.stdout,
)
